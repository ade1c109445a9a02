"""Motions: reading, editing, assessment, filter, walks; the same numbers as the command line."""

import json
import pickle
import subprocess
import sys
import threading
import time

import anthropi
import numpy as np
import pytest
from anthropi import errors


@pytest.fixture(scope="module")
def walk():
    return anthropi.Clip.load("keyed-walk")


@pytest.fixture(scope="module")
def filtered(walk):
    return anthropi.filter(walk.cut(0, 1.2))


def result(program, *words):
    got = subprocess.run([program, *words, "--json"], capture_output=True, text=True)
    assert got.returncode in (0, 1), got.stderr
    return json.loads(got.stdout)


def test_a_clip_is_poses_of_a_figure(walk, tmp_path):
    assert (len(walk), walk.fps, walk.q.shape) == (301, 100.0, (301, walk.figure.nq))
    again = anthropi.Clip(walk.figure, walk.q, walk.dt, name="again", start=2.0)
    assert (again.q == walk.q).all() and again.times[0] == 2.0 and again.duration == walk.duration
    assert np.allclose(walk.sample(0.005), walk.figure.interpolate(walk.q[0], walk.q[1], 0.5))
    v, a = walk.derivatives()
    ahead = walk.figure.integrate(walk.q[100], v[100] + a[100] * walk.dt / 2, walk.dt)
    assert np.abs(ahead - walk.q[101]).max() < 1e-3 and a.shape == v.shape
    for ending in ["json", "bvh", "csv", "mot", "sto", "glb", "svg"]:
        walk.save(tmp_path / f"walk.{ending}")
        assert (tmp_path / f"walk.{ending}").stat().st_size > 1000
    read = anthropi.Clip.load(tmp_path / "walk.json")
    assert (read.q == walk.q).all() and read.figure.to_toml() == walk.figure.to_toml()
    person = anthropi.Clip.load(tmp_path / "walk.bvh", mass=80.0, height=1.8, sex="female")
    assert person.figure.mass == pytest.approx(80) and len(person) == len(walk) and person.notes
    person.save(tmp_path / "same.bvh")
    assert (anthropi.Clip.load(tmp_path / "same.bvh").q == anthropi.Clip.load(tmp_path / "walk.bvh").q).all()


def test_clips_and_figures_go_through_pickle(walk):
    again = pickle.loads(pickle.dumps(walk))
    assert (again.q == walk.q).all() and again.name == walk.name
    figure = anthropi.Figure("human-28")
    figure.connect(figure.state(), "left_foot", name="grip")
    assert pickle.loads(pickle.dumps(figure)).connections == ["grip"]


def test_states_go_through_pickle_with_their_figure():
    figure = anthropi.Figure("human-28")
    state = figure.state()
    figure.connect(state, "left_foot", name="grip")
    state.v[:] = np.arange(figure.nv)
    again, moved = pickle.loads(pickle.dumps((figure, state)))
    assert (moved.q == state.q).all() and (moved.v == state.v).all() and moved.revision == state.revision
    tau = np.zeros(figure.nv)
    assert (again.forward_dynamics(moved, tau) == figure.forward_dynamics(state, tau)).all()
    again.cut(moved, "grip")
    with pytest.raises(errors.StateError):
        figure.forward_dynamics(moved, tau)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_ctrl_c_ends_the_filter():
    code = """
import anthropi, signal, sys, threading, os, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes ignore it
clip = anthropi.Clip.load("keyed-walk").repeat(20)
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    anthropi.filter(clip)
except KeyboardInterrupt:
    print("ended", time.monotonic() - start)
"""
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert got.stdout.startswith("ended") and not got.stderr, (got.stdout, got.stderr)
    assert float(got.stdout.split()[1]) < 15.0, got.stdout  # all of it takes longer, most of that planning


def test_clips_are_changed_into_new_ones(walk):
    before = walk.q
    run = anthropi.Clip.load("keyed-run")
    half = walk.blend(run, 0.5)
    growing = walk.blend(run, lambda t: min(1.0, t / 2))
    assert half.duration < walk.duration
    # it begins with a touchdown of the walk
    assert np.abs(walk.q[:, 7:] - growing.q[0, 7:]).max(axis=1).min() < 0.05
    with pytest.raises(ZeroDivisionError):
        walk.blend(run, lambda t: 1 / 0)
    with pytest.raises(errors.OutOfRangeError):
        walk.blend(run, 1.5)
    joined = walk.join(run, fade=0.3)
    assert joined.duration == pytest.approx(walk.duration + run.duration - 0.3, abs=0.02)
    assert (walk.reversed().q[0] == walk.q[-1]).all() and walk.reversed().reversed().q.shape == walk.q.shape
    assert np.allclose(walk.mirrored().mirrored().q, walk.q, atol=1e-9)
    assert walk.at_speed(2.0).duration == pytest.approx(walk.duration / 2)
    assert len(walk.resampled(50)) == 151 and len(walk.repeat(2)) == 601
    assert walk.moved([1, 2, 0]).q[0, :2] == pytest.approx(walk.q[0, :2] + [1, 2])
    assert walk.turned(0.5, 0.5, 1.5).q[-1, 1] > walk.q[-1, 1] + 0.2
    assert walk.scaled(height=1.9).figure.stature == pytest.approx(1.9)
    other = walk.retarget("anthropi-42")
    assert other.figure.name == "anthropi-42" and len(other) == len(walk) and other.notes
    assert (walk.q == before).all()


def test_certify_tells_what_the_program_tells(walk, program):
    certificate = anthropi.certify(walk)
    want = result(program, "certify", "keyed-walk")
    assert certificate.to_dict() == want and certificate.is_consistent == (want["verdict"] == "consistent")
    assert certificate.tau.shape == (len(walk), walk.figure.nv) and len(certificate.dofs) == walk.figure.nv
    weight = walk.figure.mass * 9.81
    assert certificate.ground_force[:, 2].mean() == pytest.approx(weight, rel=0.02)
    high = anthropi.certify(walk.moved([0, 0, 0.1]), ground=0.0, cutoff=12)
    assert not high.is_consistent and high.findings[0]["severity"] > 0 and "<html" in high.to_html()


def test_lamps_have_states_and_reasons(walk, filtered, tmp_path):
    lamps = anthropi.certify(walk).lamps
    assert lamps["physical"]["state"] == lamps["certain"]["state"] == "green" and lamps["faithful"] is None
    lamps = filtered.lamps
    assert lamps == filtered.to_dict()["lamps"] and lamps["faithful"]["state"] == "green", lamps
    # a skeleton has no soles: they are estimated, also after an edit
    walk.save(tmp_path / "walk.bvh")
    person = anthropi.Clip.load(tmp_path / "walk.bvh")
    for clip in [person, person.cut(0, 1.5)]:
        certificate = anthropi.certify(clip)
        certain = certificate.lamps["certain"]
        assert certain["state"] == "amber" and "soles are estimated" in certain["reason"], certain
        assert certificate.to_dict()["uncertainty"]["sole_m"] == 0.03


def test_a_cutoff_that_empties_the_motion_is_refused(walk):
    for cutoff in [1e-6, 0.5, 1]:
        for run in [anthropi.certify, anthropi.filter]:
            with pytest.raises(errors.OutOfRangeError, match="too low.*use at least"):
                run(walk, cutoff=cutoff)
    assert anthropi.certify(walk, cutoff=6).is_consistent


def test_filter_tells_what_the_program_tells(filtered, walk, program, tmp_path):
    walk.cut(0, 1.2).save(tmp_path / "keyed-walk.json")
    want = result(program, "filter", tmp_path / "keyed-walk.json")
    got = filtered.to_dict()
    for clock in ["time_per_frame_us", "realtime_factor"]:
        got.pop(clock), want.pop(clock)
    assert got == want and filtered.is_consistent and filtered.fell is None
    filtered.save(tmp_path / "out.bvh")
    assert len(anthropi.Clip.load(tmp_path / "out.bvh")) == len(filtered.clip) == 121
    assert filtered.ground_force.shape == (121, 3) and "<html" in filtered.to_html()
    pushed = anthropi.filter(walk.cut(0, 1.2), pushes=[("chest", 0.3, 0.5, [0, 60, 0])])
    assert np.abs(pushed.clip.q - filtered.clip.q).max() > 1e-3
    with pytest.raises(errors.UnknownNameError):
        anthropi.filter(walk, pushes=[("tail", 0.3, 0.5, [0, 60, 0])])
    with pytest.raises(errors.UnknownNameError, match="mode is `now`, expected online or offline"):
        anthropi.filter(walk, mode="now")
    assert filtered.assist.shape == (121, 6) and not filtered.assist.any()
    assert got["assist"]["intervals"] == [] and got["speed"] == 1.0
    for wrong in [dict(assist=2.0), dict(assist="some"), dict(speed=2), dict(speed="fast"),
                  dict(assist=0.2, mode="online"), dict(assist=0.2, solver="pinv"), dict(speed="auto", mode="online")]:
        with pytest.raises(TypeError, match="expected|needs mode 'offline'|needs solver 'qp'"):
            anthropi.filter(walk, **wrong)
    hard = [("chest", 0.6, 0.8, [0, 400, 0])]
    assisted = anthropi.filter(walk.cut(0, 3), pushes=hard, assist="auto", speed=1)
    assert assisted.fell is None and not assisted.is_consistent and assisted.assist.any()
    assert anthropi.filter(walk.cut(0, 3), pushes=hard, assist="none", speed=1).fell is not None


def test_the_online_filter_goes_frame_by_frame(walk):
    online = anthropi.OnlineFilter(walk.figure, walk.dt)
    got = [online.push(frame) for frame in walk.q[:60]]
    assert got[0] is None and all(pose.shape == (walk.figure.nq,) for pose in got[1:])
    assert np.abs(np.array(got[10:])[:, :3] - walk.q[9:59, :3]).max() < 0.05
    assert online.miss().shape == (walk.figure.nq,) and online.tau.shape == (walk.figure.nv,)
    online.apply_force("chest", [0, 50, 0])
    online.apply_force()
    with pytest.raises(errors.DimensionError):
        online.push(walk.q[0, :5])


def test_walks_come_from_words_and_scripts(program):
    walk = anthropi.walk(speed=1.2, steps=4)
    assert walk.fell is None and walk.measured["speed"] == pytest.approx(1.2, abs=0.02)
    assert walk.certificate["verdict"] == "consistent" and walk.clip.figure.name == "anthropi-42"
    want = result(program, "walk", "--speed", "1.2", "--steps", "4")
    assert walk.measured["speed"] == want["speed"] and walk.certificate == want["certificate"]
    assert walk.ground_forces.shape == (len(walk.times), 2, 3)
    for bad in [{"speed": 99}, {"style": "hapily"}, {"gait": "crawl"}, {"friction": 0}, {"determinants": {"x": 1}}]:
        with pytest.raises(errors.AnthropiError):
            anthropi.walk(**bad)
    with pytest.raises(errors.UnknownNameError, match="built-in walk"):
        anthropi.walk("walk-tuor")


def test_simulations_have_the_bits_of_the_program(program, tmp_path):
    for scene in ["high-bar", "drop-box", "four-bar"]:
        simulation = anthropi.Simulation.scene(scene)
        simulation.run(1.0, every=50)
        want = result(program, "simulate", scene, "--duration", "1")
        assert simulation.digest == want["digest"], scene
        assert simulation.time == pytest.approx(1.0) and simulation.steps == want["steps"]


def test_a_simulation_is_driven_recorded_and_changed():
    figure = anthropi.Figure("human-28")
    simulation = anthropi.Simulation(figure, ground=-1.0)
    times = []

    def control(time, state):
        times.append(time)
        return -5.0 * state.v

    record = simulation.run(0.1, every=10, control=control)
    assert len(times) == 100 and len(record) == 11 and record.q.shape == (11, figure.nq)
    assert np.diff(record.energy[:, 3]).max() < 1e-9, "damping takes energy"
    assert len(record.to_clip()) == 11 and record.figure.nv == figure.nv
    assert len(anthropi.Simulation(figure).run(0.05, every=7).to_clip()) == 8, "the last, after 1 ms, is left out"
    link = figure.links[-1]
    simulation.connect(link, name="grip")
    simulation.push(figure.links[0], [0, 0, 10], between=(0.0, 1.0))
    split = simulation.run(0.05, every=10)
    simulation.cut("grip")
    assert simulation.figure.connections == [] and simulation.closure_error[0] < 1e-9
    both = anthropi.Simulation.scene("high-bar").run()
    assert len(both.parts) > 1 and len(split.parts) == 1
    with pytest.raises(errors.StructureError, match="record.parts"):
        both.q
    state = simulation.state
    state.v[:] = 0
    simulation.state = state
    assert simulation.energy["kinetic"] == 0
    with pytest.raises(errors.DimensionError):
        simulation.step(np.zeros(3))
    with pytest.raises(errors.OutOfRangeError):
        simulation.step(dt=-1.0)
    with pytest.raises(ZeroDivisionError):
        simulation.run(0.01, control=lambda time, state: 1 / 0)
    box = anthropi.Simulation.scene("drop-box")
    box.run()
    assert box.contacts and box.contacts[0]["on"] == "floor"
    total = sum(contact["force"][2] for contact in box.contacts)
    assert total == pytest.approx(box.figure.mass * 9.81, rel=1e-6)


def test_long_calls_let_other_threads_run(walk):
    counted, is_done = 0, threading.Event()

    def work():
        anthropi.filter(walk.cut(0, 1.5))
        is_done.set()

    thread = threading.Thread(target=work)
    start = time.monotonic()
    thread.start()
    while not is_done.is_set():
        counted += 1
        time.sleep(0.001)
    thread.join()
    seconds = time.monotonic() - start
    assert counted > 0.2 * seconds / 0.001, f"{counted} turns in {seconds:.2f} s"
