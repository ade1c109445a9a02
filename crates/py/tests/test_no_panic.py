"""Any input gives a result or an exception with a reason, never a panic."""

import anthropi
import numpy as np
import pytest

NAN, INF, BIG = float("nan"), float("inf"), 1e300
NUMBERS = [0, -1, NAN, INF, -INF, BIG, 1e-300, 10**9]
FINE = (anthropi.AnthropiError, TypeError, ValueError, OverflowError, ArithmeticError, OSError)


def calls():
    figure = anthropi.Figure("human-28")
    walk = anthropi.Clip.load("keyed-walk").cut(0, 0.3)
    q, v = figure.home, np.zeros(figure.nv)
    joint, link = figure.joints[1], figure.links[1]
    for x in NUMBERS:
        yield lambda x=x: figure.scaled(height=x)
        yield lambda x=x: figure.scaled(mass=x)
        yield lambda x=x: figure.integrate(q, v + 1, x)
        yield lambda x=x: figure.interpolate(q, q, x)
        yield lambda x=x: figure.copy().lock(figure.state(), joint, int(x))
        yield lambda x=x: figure.copy().unlock(figure.state(), joint, int(x))
        yield lambda x=x: figure.copy().connect(figure.state(), link, name="x", at=[x, 0, 0])
        yield lambda x=x: figure.copy().connect(figure.state(), link, name="x", kind="revolute", axis=[x, 0, 0])
        yield lambda x=x: figure.jacobian(q, link, [x, x, x])
        yield lambda x=x: figure.inverse_dynamics(q, v, v, external={link: [x] * 6})
        yield lambda x=x: figure.inverse_dynamics(np.full(figure.nq, x), v + x, v + x)
        yield lambda x=x: figure.forward_dynamics(np.full(figure.nq, x), np.full(figure.nv, x), np.full(figure.nv, x))
        yield lambda x=x: figure.inverse_dynamics(np.tile(q, (5, 1)), np.tile(v, (5, 1)), np.tile(v, (5, 1)), threads=int(x))
        yield lambda x=x: figure.to_svg(np.full(figure.nq, x))
        yield lambda x=x: anthropi.Simulation(figure, dt=x).step()
        yield lambda x=x: anthropi.Simulation(figure).step(np.full(figure.nv, x))
        yield lambda x=x: anthropi.Simulation(figure).run(0.001, dt=x)
        yield lambda x=x: anthropi.Simulation(figure).run(0.001, every=int(x))
        yield lambda x=x: anthropi.Simulation(figure).push(link, [x, 0, 0], between=(x, x))
        yield lambda x=x: anthropi.Clip(figure, [q, q], x)
        yield lambda x=x: anthropi.Clip(figure, np.full((3, figure.nq), x), 0.01)
        yield lambda x=x: walk.sample(x)
        yield lambda x=x: walk.cut(x, x)
        yield lambda x=x: walk.at_speed(x)
        yield lambda x=x: walk.resampled(x)
        yield lambda x=x: walk.repeat(int(x))
        yield lambda x=x: walk.repeat(2, fade=x)
        yield lambda x=x: walk.join(walk, fade=x)
        yield lambda x=x: walk.blend(walk, x)
        yield lambda x=x: walk.moved([x, 0, 0], yaw=x)
        yield lambda x=x: walk.turned(x, 0, 0.2)
        yield lambda x=x: walk.derivatives(x)
        yield lambda x=x: walk.scaled(x, x)
        yield lambda x=x: anthropi.certify(walk, cutoff=x)
        yield lambda x=x: anthropi.certify(walk, friction=x)
        yield lambda x=x: anthropi.certify(walk, ground=x)
        yield lambda x=x: anthropi.filter(walk, pushes=[(link, x, 0.2, [x, 0, 0])])
        yield lambda x=x: anthropi.OnlineFilter(figure, x).push(q)
        yield lambda x=x: anthropi.OnlineFilter(figure, 0.01, ground=x).push(q)
        yield lambda x=x: anthropi.walk(speed=x)
        yield lambda x=x: anthropi.walk(steps=1, height=x)
        yield lambda x=x: anthropi.walk(steps=int(x), speed=1.0)
        yield lambda x=x: anthropi.walk(steps=1, stairs=(x, x))
    # these take long where they are accepted
    for x in NUMBERS[1:5]:
        yield lambda x=x: anthropi.Simulation(figure, ground=x).step()
        yield lambda x=x: anthropi.filter(walk, strength=x)
        yield lambda x=x: anthropi.filter(walk, ground=x)
        yield lambda x=x: anthropi.walk(steps=1, load_kg=x)
    one = anthropi.Figure.from_arrays(
        "dot", ["dot"], [-1], ["fixed"], axes=[[0, 0, 1]], positions=[[0, 0, 0]], masses=[1], centers=[[0, 0, 0]],
        inertias=[np.eye(3)],
    )
    yield lambda: one.inverse_dynamics([], [], [])
    yield lambda: one.inverse_dynamics(np.empty((3, 0)), np.empty((3, 0)), np.empty((3, 0)))
    yield lambda: one.mass_matrix([])
    yield lambda: one.mass_matrix(np.empty((3, 0)))
    yield lambda: anthropi.Clip(one, np.empty((3, 0)), 0.01)
    yield lambda: anthropi.OnlineFilter(one, 0.01)
    yield lambda: anthropi.Figure.from_arrays(
        "none", [], [], [], axes=np.empty((0, 3)), positions=np.empty((0, 3)), masses=[], centers=np.empty((0, 3)),
        inertias=np.empty((0, 3, 3)),
    ).state()


def test_nothing_that_is_handed_in_makes_the_engine_panic():
    for k, call in enumerate(calls()):
        try:
            call()
        except FINE:
            pass
        except BaseException as fault:
            pytest.fail(f"call {k} (line {call.__code__.co_firstlineno}, {call.__defaults__}): {type(fault).__name__}: {fault}")
