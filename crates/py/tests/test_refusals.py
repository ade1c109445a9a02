"""Errors and their messages."""

import threading

import anthropi
import numpy as np
import pytest
from anthropi import errors


@pytest.fixture
def figure():
    return anthropi.Figure("human-28")


@pytest.mark.parametrize(
    "bad, error, message",
    [
        (np.zeros(3), errors.DimensionError, "q has shape (3,), expected (41,)"),
        (np.zeros((2, 2, 2)), errors.DimensionError, "q has shape (2, 2, 2), expected (41,)"),
        (np.full(41, np.nan), errors.NotFiniteError, "q is not a finite number"),
        (np.full(41, np.inf), errors.NotFiniteError, "q is not a finite number"),
        (np.zeros(41, complex), TypeError, "q: expected an array of real numbers"),
        (["a"] * 41, TypeError, "q: expected an array of real numbers"),
        (None, TypeError, "q: expected an array of real numbers"),
        ([[1], [2, 3]], TypeError, "q: expected an array of real numbers"),
        (object(), TypeError, "q: expected an array of real numbers"),
    ],
)
def test_invalid_arrays(figure, bad, error, message):
    zero = np.zeros(figure.nv)
    for call in [figure.inverse_dynamics, figure.forward_dynamics]:
        with pytest.raises(error) as caught:
            call(bad, zero, zero)
        assert message in str(caught.value)
    with pytest.raises(error):
        figure.mass_matrix(bad)


def test_any_array_of_real_numbers_will_do(figure):
    q, zero = figure.home, np.zeros(figure.nv)
    want = figure.inverse_dynamics(q, zero, zero)
    strided = np.zeros(2 * figure.nq)
    strided[::2] = q
    unaligned = np.frombuffer(b"\0" + q.tobytes(), dtype=np.uint8)[1:].view(float)
    for same in [q.tolist(), tuple(q), strided[::2], q.astype(np.float32), q.astype(">f8"), unaligned, q[::-1][::-1]]:
        assert np.allclose(figure.inverse_dynamics(same, zero, zero), want, atol=1e-4)
    assert (figure.inverse_dynamics(q, zero.astype(int), zero.astype(bool)) == want).all()
    many = np.asfortranarray(np.tile(q, (6, 1)) + np.arange(6)[:, None])
    zeros = np.zeros((6, figure.nv))
    one_by_one = [figure.inverse_dynamics(row, zero, zero) for row in many]
    assert (figure.inverse_dynamics(many, zeros, zeros) == one_by_one).all()
    readonly = q.copy()
    readonly.flags.writeable = False
    assert (figure.inverse_dynamics(readonly, zero, zero) == want).all()


def test_states_belong_to_a_revision(figure):
    old, state = figure.state(), figure.state()
    figure.connect(state, figure.links[-1], name="grip", at=[0, 0, -0.05])
    assert state.revision == figure.revision == old.revision + 1
    zero = np.zeros(figure.nv)
    for call in [figure.inverse_dynamics, figure.forward_dynamics, figure.connection_forces]:
        with pytest.raises(errors.StateError, match="belongs to revision 1 of the figure, which is now at revision 2"):
            call(old, zero)
    with pytest.raises(errors.StateError) as caught:
        anthropi.Simulation(figure, old)
    assert (caught.value.state, caught.value.figure) == (1, 2)
    with pytest.raises(errors.StateError):
        figure.cut(old, "grip")
    closure = figure.closure(state)
    assert (closure["rank"], closure["free"]) == (6, figure.nv - 3)
    figure.cut(state, "grip")
    assert figure.revision == 3 and figure.connections == []


def test_structure_that_cannot_be(figure):
    state = figure.state()
    with pytest.raises(errors.UnknownNameError) as caught:
        figure.connect(state, "tail", name="grip")
    assert (caught.value.what, caught.value.name) == ("link", "tail") and isinstance(caught.value, LookupError)
    with pytest.raises(errors.StructureError):
        figure.connect(state, figure.links[1], figure.links[1], name="self")
    with pytest.raises(errors.StructureError):
        figure.cut(state, figure.joints[0])
    with pytest.raises(errors.UnknownNameError, match="kind of joint"):
        figure.connect(state, figure.links[1], name="x", kind="rubber")
    with pytest.raises(errors.OutOfRangeError, match="rotation matrix"):
        figure.connect(state, figure.links[1], name="x", at=2 * np.eye(4))
    assert figure.revision == state.revision == 1
    with pytest.raises(errors.UnknownNameError, match="no connections"):
        figure.closure(state)
    with pytest.raises(errors.OutOfRangeError) as caught:
        figure.scaled(height=-1)
    assert caught.value.value == -1


def test_figures_from_arrays_that_cannot_be():
    good = {
        "axes": [[0, 1, 0]],
        "positions": [[0, 0, 0]],
        "masses": [1.0],
        "centers": [[0, 0, -0.5]],
        "inertias": [np.eye(3) * 0.1],
    }
    make = anthropi.Figure.from_arrays
    assert make("rod", ["rod"], [-1], ["revolute"], **good).nv == 1
    for change, error in [
        ({"masses": [-1.0]}, errors.OutOfRangeError),
        ({"masses": [1.0, 2.0]}, errors.DimensionError),
        ({"inertias": [np.diag([1.0, 0.1, 0.1])]}, errors.StructureError),
        ({"axes": [[0, 0, 0]]}, errors.AnthropiError),
        ({"centers": [[0, 0, np.nan]]}, errors.NotFiniteError),
        ({"rotations": [np.ones((3, 3))]}, errors.OutOfRangeError),
    ]:
        with pytest.raises(error):
            make("rod", ["rod"], [-1], ["revolute"], **(good | change))
    for parents in [[0], [5], [-2]]:
        with pytest.raises(errors.OutOfRangeError):
            make("rod", ["rod"], parents, ["revolute"], **good)
    with pytest.raises(errors.DimensionError):
        make("rod", ["rod"], [-1, -1], ["revolute"], **good)


def test_files(tmp_path):
    with pytest.raises(errors.FileSystemError) as caught:
        anthropi.Figure.load(tmp_path / "none.urdf")
    assert caught.value.path.endswith("none.urdf") and isinstance(caught.value, OSError)
    (tmp_path / "bad.toml").write_text('name = "x"\nnonsense = 3\n')
    with pytest.raises(errors.FormatError) as caught:
        anthropi.Figure.load(tmp_path / "bad.toml")
    assert (caught.value.line, caught.value.path.endswith("bad.toml")) == (2, True)
    assert "nonsense" in str(caught.value)
    with pytest.raises(errors.FormatError, match="unknown kind of file"):
        anthropi.Figure.load(tmp_path / "x.docx")


def test_a_state_refuses_what_its_arrays_were_made_into(figure):
    state = figure.state()
    state.q[0] = 1.5
    assert figure.center_of_mass(state)[0] == pytest.approx(1.5 + figure.center_of_mass(figure.home)[0])
    state.v[:] = np.nan
    with pytest.raises(errors.NotFiniteError):
        figure.kinetic_energy(state)
    with pytest.raises(errors.DimensionError):
        state.v = np.zeros(3)


def test_errors_go_through_pickle():
    import pickle

    try:
        anthropi.Figure("human-28").scaled(height=-1)
    except errors.OutOfRangeError as error:
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.value) == (type(error), str(error), -1)


def test_threads_may_call_at_once(figure):
    zero = np.zeros((2000, figure.nv))
    q = np.tile(figure.home, (2000, 1))
    want = figure.inverse_dynamics(q[0], zero[0], zero[0])
    wrong = []

    def work():
        for _ in range(20):
            wrong.append((figure.inverse_dynamics(q, zero, zero) != want).any())

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(wrong) == 80 and not any(wrong)
