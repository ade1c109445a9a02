"""The first ten calls of a Pinocchio user, side by side.

Needs Pinocchio (pip install pin) for the other side; runs without it, too. The figure goes there as URDF, with its base
fixed, so that q is the same list of angles on both sides.
"""

import tempfile
from pathlib import Path

import anthropi
import anthropi.typing
import numpy as np

try:
    import pinocchio as pin
except ImportError:
    pin = None

folder = Path(tempfile.mkdtemp())
anthropi.Figure("human-28").rigid().with_base(free=False).save(folder / "human.urdf")
rng = np.random.default_rng(0)

# 1  a model from a file                        model = pin.buildModelFromUrdf("human.urdf"); data = model.createData()
figure = anthropi.Figure.load(folder / "human.urdf")
# 2  sizes                                      model.nq, model.nv
nq, nv = figure.nq, figure.nv
# 3  the neutral pose                           pin.neutral(model)
q = figure.home + rng.uniform(-0.5, 0.5, nq)
v, a = rng.uniform(-1, 1, (2, nv))
# 4  inverse dynamics                           pin.rnea(model, data, q, v, a)
tau = figure.inverse_dynamics(q, v, a)
# 5  forward dynamics                           pin.aba(model, data, q, v, tau)
again = figure.forward_dynamics(q, v, tau)
# 6  the mass matrix (both triangles)           pin.crba(model, data, q)
mass_matrix = figure.mass_matrix(q)
# 7  forces of gravity and motion               pin.nonLinearEffects(model, data, q, v)
bias = figure.bias_forces(q, v)
# 8  placements of the links                    pin.framesForwardKinematics(model, data, q); data.oMf[id].homogeneous
head = figure.link_pose(q, "head")
# 9  a Jacobian: angular rows first here        pin.computeFrameJacobian(model, data, q, id, pin.LOCAL_WORLD_ALIGNED)
jacobian = figure.jacobian(q, "head")
# 10 along a velocity                           pin.integrate(model, q, dt * v)
later = figure.integrate(q, v, 0.01)

assert np.allclose(again, a) and np.allclose(mass_matrix @ a + bias, tau)
print(f"{figure}: tau[:3] = {tau[:3].round(3)}, head at {head[:3, 3].round(3)}")

if pin is not None:
    model = pin.buildModelFromUrdf(str(folder / "human.urdf"))
    data = model.createData()
    # joints may come in another order
    order = [model.joints[model.getJointId(name)].idx_v for name in figure.joints if model.existJointName(name)]

    def there(x: anthropi.typing.Array) -> anthropi.typing.Array:
        out = np.empty(nv)
        out[order] = x
        return out

    theirs = pin.rnea(model, data, there(q), there(v), there(a))[order]
    print(f"largest difference of torques to Pinocchio: {np.abs(tau - theirs).max():.1e} N m")
    assert np.allclose(tau, theirs, atol=1e-9)
    frame = model.getFrameId("head")
    there_j = pin.computeFrameJacobian(model, data, there(q), frame, pin.LOCAL_WORLD_ALIGNED)
    assert np.allclose(jacobian, np.vstack([there_j[3:], there_j[:3]])[:, order], atol=1e-9)
    pin.framesForwardKinematics(model, data, there(q))
    assert np.allclose(head, data.oMf[frame].homogeneous, atol=1e-12)
