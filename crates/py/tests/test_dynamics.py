"""Dynamics: the golden numbers of the Rust tests, Pinocchio live, many states at once."""

import anthropi
import numpy as np
import pytest
from conftest import NAMES, Peer, random_states, state_of, vector

# Relative to the largest number of each reference, as in crates/dynamics/tests/it/oracle.rs.
AGREEMENT = 1e-9


def check(what, got, want):
    got, want = np.asarray(got, float), np.asarray(want, float)
    assert got.shape == want.shape and np.isfinite(got).all(), what
    off = np.abs(got - want).max(initial=0.0) / max(1.0, np.abs(want).max(initial=0.0))
    assert off <= AGREEMENT, f"{what}: residual {off:e}"


@pytest.mark.parametrize("name", NAMES)
def test_built_in_figures_agree_with_the_oracle(oracle, name):
    figure = anthropi.Figure(name).rigid()
    assert figure.dofs == oracle[name]["dofs"]
    for i, r in enumerate(oracle[name]["states"]):
        state, label = state_of(figure, r), f"{name} state {i}"
        tau, a = vector(figure, r["tau"]), vector(figure, r["a"])
        check(f"{label}: inverse", figure.inverse_dynamics(state, a), vector(figure, r["inverse_dynamics"]))
        check(f"{label}: forward", figure.forward_dynamics(state, tau), vector(figure, r["forward_dynamics"]))
        m = figure.mass_matrix(state)
        for k, row in enumerate(r["mass_matrix"]):
            check(f"{label}: mass matrix", m[k, : len(row)], row)
        check(f"{label}: center", figure.center_of_mass(state), r["com"])
        momentum = r["momentum"]["angular"] + r["momentum"]["linear"]
        check(f"{label}: momentum", figure.momentum(state), momentum)
        check(f"{label}: momentum matrix", figure.momentum_matrix(state) @ state.v, momentum)
        check(f"{label}: kinetic", figure.kinetic_energy(state), r["kinetic_energy"])
        check(f"{label}: potential", figure.potential_energy(state), r["potential_energy"])
        for link, pose in zip(figure.links, figure.link_poses(state)):
            check(f"{label}: position of {link}", pose[:3, 3], r["link_poses"][link]["position"])


def test_closed_chains_agree_with_the_oracle(oracle):
    unit = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}

    def placement(p):
        w, x, y, z = p["orientation"]
        m = np.eye(4)
        m[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        m[:3, 3] = p["position"]
        return m

    for f in oracle["closed"]["figures"]:
        links = f["links"]
        names = [link["name"] for link in links]
        axes = [([unit[a] for a in link["axes"]] * 2 + [unit["z"]] * 2)[:2] for link in links]
        tree = anthropi.Figure.from_arrays(
            f["name"],
            names,
            [-1 if link["parent"] is None else names.index(link["parent"]) for link in links],
            [link["kind"] for link in links],
            axes=axes,
            positions=[link["pos"] for link in links],
            masses=[link["mass"] for link in links],
            centers=[link["com"] for link in links],
            inertias=[np.diag(link["inertia"]) for link in links],
        )
        for i, r in enumerate(f["states"]):
            figure, label = tree.copy(), f"{f['name']} state {i}"
            state = state_of(figure, r)
            for k, c in enumerate(r["connections"]):
                places = {"at": placement(c["on_a"]), "to": placement(c["on_b"])}
                figure.connect(state, c["a"], c["b"], name=f"connection{k}", kind=c["kind"], **places)
            tau = vector(figure, r["tau"])
            check(f"{label}: acceleration", figure.forward_dynamics(state, tau), vector(figure, r["acceleration"]))
            forces = figure.connection_forces(state, tau)
            for k, want in enumerate(r["wrenches"]):
                check(f"{label}: wrench {k}", forces[f"connection{k}"], want)
        assert tree.revision == 1 and tree.connections == [], "the copies were changed, not the tree"


@pytest.mark.parametrize("name", NAMES)
def test_many_states_have_the_bits_of_single_calls(name):
    figure = anthropi.Figure(name)
    for n in [1, 3, 4, 5, 261]:
        q, v, x = random_states(figure, n)
        for threads in [None, 1, 3]:
            tau, a = (
                figure.inverse_dynamics(q, v, x, threads=threads),
                figure.forward_dynamics(q, v, x, threads=threads),
            )
            m = figure.mass_matrix(q, threads=threads)
            for k in range(n):
                assert (tau[k] == figure.inverse_dynamics(q[k], v[k], x[k])).all()
                assert (a[k] == figure.forward_dynamics(q[k], v[k], x[k])).all()
                assert (m[k] == figure.mass_matrix(q[k])).all()
    empty = np.empty((0, figure.nq)), np.empty((0, figure.nv)), np.empty((0, figure.nv))
    assert figure.inverse_dynamics(*empty).shape == (0, figure.nv)
    assert figure.mass_matrix(empty[0]).shape == (0, figure.nv, figure.nv)


def test_many_states_with_connections():
    figure = anthropi.Figure("human-28")
    state = figure.state()
    figure.connect(state, figure.links[-1], name="grip")
    q, v, x = random_states(figure, 140)
    a = figure.forward_dynamics(q, v, x)
    assert all((a[k] == figure.forward_dynamics(q[k], v[k], x[k])).all() for k in range(140))


def test_identities():
    figure = anthropi.Figure("human-40")
    q, v, a = (x[0] for x in random_states(figure, 1))
    m, h = figure.mass_matrix(q), figure.bias_forces(q, v)
    check("tau = M a + h", figure.inverse_dynamics(q, v, a), m @ a + h)
    check("aba . rnea", figure.forward_dynamics(q, v, m @ a + h), a)
    assert figure.kinetic_energy(q, v) == pytest.approx(v @ m @ v / 2, rel=1e-12)
    for link in figure.links:
        j = figure.jacobian(q, link)
        check("J v", figure.link_velocity(q, v, link=link), j @ v)
        force = np.array([1.0, -2, 3, 40, 50, -60])
        tau = figure.inverse_dynamics(q, v, a, external={link: force})
        check("J^T f", figure.inverse_dynamics(q, v, a) - tau, j.T @ force)
        check("forward", figure.forward_dynamics(q, v, tau, external={link: force}), a)
    # J' v by differences along the motion
    h, link, point = 1e-6, figure.links[-1], [0.1, 0.2, 0.3]
    ahead, behind = (figure.jacobian(figure.integrate(q, v, s), link, point) for s in (h, -h))
    rate = (ahead - behind) @ v / (2 * h)
    assert np.allclose(figure.jacobian_bias(q, v, link=link, point=point), rate, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_pinocchio_live(name):
    figure, peer = anthropi.Figure(name).rigid(), Peer(name)
    pin, model, data, order = peer.pin, peer.model, peer.data, peer.order
    for q, v, x in zip(*random_states(figure, 20, seed=3)):
        theirs = peer.q(figure, q), peer.v(v), peer.v(x)
        check("rnea", figure.inverse_dynamics(q, v, x), pin.rnea(model, data, *theirs)[order])
        check("aba", figure.forward_dynamics(q, v, x), pin.aba(model, data, *theirs)[order])
        m = np.triu(pin.crba(model, data, theirs[0]))
        m = m + np.triu(m, 1).T
        check("crba", figure.mass_matrix(q), m[np.ix_(order, order)])
        check("center", figure.center_of_mass(q), pin.centerOfMass(model, data, theirs[0]))
        # Pinocchio has the linear part first
        joint = peer.figure.links[figure.links[-1]][0]
        theirs_j = pin.computeJointJacobian(model, data, theirs[0], joint)
        turn = data.oMi[joint].rotation
        j = np.vstack([turn @ theirs_j[3:], turn @ theirs_j[:3]])[:, order]
        if np.allclose(peer.figure.links[figure.links[-1]][1].translation, 0):
            check("Jacobian", figure.jacobian(q, figure.links[-1]), j)
