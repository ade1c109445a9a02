#!/usr/bin/env python3
"""Closed chains by Pinocchio 4.1.0, for `fixtures/oracle/closed.json`.

Three figures (those of the benchmark, repeated here to keep both independent), each with two connections:
  human28  a person with feet fixed to the world at their current poses: 6 rows each
  swing34  a person on a swing; right hand and right rope end in small links that are welded: 6 rows each
  swing28  the same without those links: the connections are spherical, 3 rows each
At the zero configuration all frames are parallel to the world, z up.

Accelerations and forces come from `constraintDynamics` without regularisation. Signs and frames of its forces are
verified: the equation of motion and the closure of accelerations are checked in world axes before anything is written.
Conventions are those of `figures.py`.
"""
import json
import pathlib
import random

import numpy as np
import pinocchio as pin

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "fixtures" / "oracle" / "closed.json"
VERSION = "4.1.0"
STATES = 4
GRAVITY = [0.0, 0.0, -9.81]
UNIT = {"x": np.array([1.0, 0, 0]), "y": np.array([0, 1.0, 0]), "z": np.array([0, 0, 1.0])}
# rounding of the equations checked here, relative to their largest term
EXACT = 1e-11
# gap of the loops after Newton's method, m and rad
CLOSED = 1e-14


# ---- the figures ----------------------------------------------------------------------------------------------------

def link(name, parent, joint, pos, mass, com, inertia):
    """joint: "free", "ball", or the axes of hinges; inertia: diagonal, about the centre of mass."""
    kind = {"free": "free", "ball": "spherical"}.get(joint) or {1: "revolute", 2: "universal"}[len(joint)]
    axes = [] if kind in ("free", "spherical") else list(joint)
    return {"name": name, "parent": parent, "kind": kind, "axes": axes, "pos": list(pos), "mass": mass,
            "com": list(com), "inertia": list(inertia)}


def human():
    links = [
        link("Body", None, "free", (0, 0, 0), 15.0, (0, 0, .02), (.4, .2, .4)),
        link("UpperBody", "Body", "ball", (0, 0, .10), 16.0, (0, 0, .20), (.8, .4, .8)),
        link("Head", "UpperBody", "ball", (0, 0, .42), 4.0, (0, 0, .12), (.1, .1, .1)),
    ]
    for s, y in (("L", 1), ("R", -1)):
        links += [
            link(s + "UpperArm", "UpperBody", "ball", (0, y * .19, .36), 4.0, (0, 0, -.13), (.1, .2, .2)),
            link(s + "LowerArm", s + "UpperArm", "yz", (0, 0, -.28), 2.0, (0, 0, -.12), (.1, .2, .2)),
        ]
    for s, y in (("L", 1), ("R", -1)):
        links += [
            link(s + "UpperLeg", "Body", "ball", (0, y * .09, -.05), 5.0, (0, 0, -.19), (.1, .2, .2)),
            link(s + "LowerLeg", s + "UpperLeg", "y", (0, 0, -.42), 4.0, (0, 0, -.18), (.1, .2, .2)),
            link(s + "Foot", s + "LowerLeg", "yx", (0, 0, -.40), 2.0, (.03, 0, -.04), (.02, .02, .02)),
        ]
    feet = [held(s + "Foot", (.035, 0, -.07), None, None) for s in "LR"]
    return "human28", links, feet


def swing(has_ends):
    small = (.2, (0, 0, 0), (1e-3, 1e-3, 1e-3))
    links = [
        link("RopeL", None, "ball", (0, .25, 2.5), .5, (0, 0, -.5), (.042, .042, .001)),
        link("Bar", "RopeL", "ball", (0, 0, -1.0), 2.0, (0, -.25, 0), (.06, .002, .06)),
        link("LLowerArm", "Bar", "ball", (0, -.06, 0), 2.0, (0, 0, -.15), (.1, .2, .2)),
        link("LUpperArm", "LLowerArm", "y", (0, 0, -.27), 4.0, (0, 0, -.15), (.1, .2, .2)),
        link("Torso", "LUpperArm", "ball", (0, 0, -.28), 35.0, (0, -.19, -.20), (1.6, 1.0, 1.2)),
        link("RUpperArm", "Torso", "ball", (0, -.38, 0), 4.0, (0, 0, .13), (.1, .2, .2)),
        link("RLowerArm", "RUpperArm", "y", (0, 0, .28), 2.0, (0, 0, .12), (.1, .2, .2)),
    ]
    links += [link("RHand", "RLowerArm", "ball", (0, 0, .27), *small)] if has_ends else []
    for s, y in (("L", -.10), ("R", -.28)):
        links += [
            link(s + "UpperLeg", "Torso", "ball", (0, y, -.51), 5.0, (0, 0, -.19), (.1, .2, .2)),
            link(s + "LowerLeg", s + "UpperLeg", "y", (0, 0, -.42), 6.0, (0, 0, -.22), (.12, .22, .22)),
        ]
    links += [link("RopeR", "Bar", "ball", (0, -.50, 0), .5, (0, 0, .5), (.042, .042, .001))]
    on_bar, on_ceiling = ("Bar", (0, -.44, 0)), (None, (0, -.25, 2.5))
    if has_ends:
        links += [link("AnchorR", "RopeR", "ball", (0, 0, 1.0), *small)]
        return "swing34", links, [held("RHand", (0, 0, 0), *on_bar), held("AnchorR", (0, 0, 0), *on_ceiling)]
    return "swing28", links, [hung("RLowerArm", (0, 0, .27), *on_bar), hung("RopeR", (0, 0, 1.0), *on_ceiling)]


def held(a, at_a, b, at_b):
    return a, at_a, b, at_b, "fixed"


def hung(a, at_a, b, at_b):
    return a, at_a, b, at_b, "spherical"


# ---- the same as a Pinocchio model ----------------------------------------------------------------------------------

class Figure:
    def __init__(self, links):
        self.model = pin.Model()
        self.model.gravity.linear = np.array(GRAVITY)
        self.kinds = {}
        for b in links:
            place = pin.SE3(np.eye(3), np.array(b["pos"], float))
            i = self.model.addJoint(self.index(b["parent"]), joint_model(b), place, b["name"])
            body = pin.Inertia(b["mass"], np.array(b["com"], float), np.diag(b["inertia"]))
            self.model.appendBodyToJoint(i, body, pin.SE3.Identity())
            self.kinds[i] = b["kind"]

    def index(self, name):
        return 0 if name is None else self.model.getJointId(name)

    def per_joint(self, theirs):
        """Velocities, accelerations or forces by joint in our order: angular part first."""
        out = {}
        for i, kind in self.kinds.items():
            j = self.model.joints[i]
            x = theirs[j.idx_v:j.idx_v + j.nv]
            out[self.model.names[i]] = floats([*x[3:], *x[:3]] if kind == "free" else x)
        return out

    def q_per_joint(self, q):
        out = {}
        for i, kind in self.kinds.items():
            j = self.model.joints[i]
            x = q[j.idx_q:j.idx_q + j.nq]
            if kind in ("free", "spherical"):
                x = [*x[:-4], x[-1], *x[-4:-1]]
            out[self.model.names[i]] = floats(x)
        return out

    def random_tau(self, rng):
        """Joint forces scaled to the links: otherwise one huge acceleration would hide the errors of others."""
        tau = np.empty(self.model.nv)
        for i in self.kinds:
            bodies = [self.model.inertias[k] for k in (i, self.model.parents[i]) if k > 0]
            size = min(20.0, 100.0 * min(np.linalg.eigvalsh(b.inertia)[0] for b in bodies))
            j = self.model.joints[i]
            tau[j.idx_v:j.idx_v + j.nv] = [rng.gauss(0, size) for _ in range(j.nv)]
        return tau

    def random_q(self, rng, spread):
        """Rotations within `spread` of zero; hinges bent, so that no limb is stretched; a free base anywhere."""
        v = np.empty(self.model.nv)
        for i, kind in self.kinds.items():
            j = self.model.joints[i]
            turns = [rng.uniform(-spread, spread) for _ in range(j.nv)]
            v[j.idx_v:j.idx_v + j.nv] = turns if kind != "revolute" else [rng.uniform(.4, 1.0)]
        return pin.integrate(self.model, pin.neutral(self.model), v)


def joint_model(b):
    kind, axes = b["kind"], b["axes"]
    if kind == "free":
        return pin.JointModelFreeFlyer()
    if kind == "spherical":
        return pin.JointModelSpherical()
    if kind == "universal":
        return pin.JointModelUniversal(*(UNIT[a] for a in axes))
    return {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}[axes[0]]()


class Connection:
    """Frames on the links a and b. Closed: the frames coincide (fixed), or their origins do (spherical)."""

    def __init__(self, figure, a, on_a, b, on_b, kind):
        self.model, self.kind, self.names = figure.model, kind, (a, b)
        self.a, self.on_a, self.b, self.on_b = figure.index(a), on_a, figure.index(b), on_b
        kinds = {"fixed": pin.ContactType.CONTACT_6D, "spherical": pin.ContactType.CONTACT_3D}
        self.theirs = pin.RigidConstraintModel(kinds[kind], self.model, self.a, on_a, self.b, on_b,
                                               pin.ReferenceFrame.LOCAL)
        self.rows = slice(0, 6) if kind == "fixed" else slice(3, 6)

    def ends(self, data):
        return data.oMi[self.a] * self.on_a, data.oMi[self.b] * self.on_b

    def gap(self, data):
        a, b = self.ends(data)
        turn = b.rotation @ pin.log3(b.rotation.T @ a.rotation)
        return np.concatenate([turn, a.translation - b.translation])[self.rows]

    def jacobian(self, data):
        """Velocity of a relative to b, world axes, at the point on a: angular, linear. Joint Jacobians must be computed."""
        point = self.ends(data)[0].translation

        def at_point(joint):
            if joint == 0:
                return np.zeros((6, self.model.nv))
            j = pin.getJointJacobian(self.model, data, joint, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            arm = point - data.oMi[joint].translation
            return np.vstack([j[3:], j[:3] - pin.skew(arm) @ j[3:]])

        return (at_point(self.a) - at_point(self.b))[self.rows]

    def second_rate(self, data):
        """Acceleration of a relative to b at their points, world axes. Second-order kinematics must be computed."""
        def of(joint, point):
            if joint == 0:
                return np.zeros(6)
            r, arm = data.oMi[joint].rotation, point - data.oMi[joint].translation
            w, al = r @ data.v[joint].angular, r @ data.a[joint].angular
            origin = r @ (data.a[joint].linear + np.cross(data.v[joint].angular, data.v[joint].linear))
            return np.concatenate([al, origin + np.cross(al, arm) + np.cross(w, np.cross(w, arm))])

        a, b = self.ends(data)
        return (of(self.a, a.translation) - of(self.b, b.translation))[self.rows]

    def wrench(self, data, force):
        """On link a, world axes, about the point: [moment, force]. `force` is Pinocchio's, in the frame on a."""
        r = self.ends(data)[0].rotation
        return np.concatenate([r @ force.angular, r @ force.linear])

    def as_json(self):
        return {"a": self.names[0], "on_a": placement(self.on_a), "b": self.names[1], "on_b": placement(self.on_b),
                "kind": self.kind}


def placement(m):
    x, y, z, w = pin.Quaternion(m.rotation).coeffs()
    return {"position": floats(m.translation), "orientation": floats([w, x, y, z])}


def floats(x):
    return [float(c) for c in np.asarray(x).ravel()]


# ---- states ---------------------------------------------------------------------------------------------------------

def random_rotation(rng):
    q = np.array([rng.gauss(0, 1) for _ in range(4)])
    return pin.Quaternion(q / np.linalg.norm(q)).matrix()


def connected(figure, rng, wanted):
    """A pose and the connections closed in it, with randomly rotated frames. An end in the world that is not given
    is where the link is."""
    model, data = figure.model, figure.model.createData()
    q = figure.random_q(rng, 1.0 if wanted[0][3] is None else .5)
    pin.forwardKinematics(model, data, q)
    all_ = []
    for a, at_a, b, at_b, kind in wanted:
        turn = random_rotation(rng)
        on_a = pin.SE3(turn, np.array(at_a, float))
        on_b = data.oMi[figure.index(a)] * on_a if at_b is None else pin.SE3(turn, np.array(at_b, float))
        all_.append(Connection(figure, a, on_a, b, on_b, kind))
    for _ in range(50):
        pin.computeJointJacobians(model, data, q)
        gap = np.concatenate([c.gap(data) for c in all_])
        if abs(gap).max() < CLOSED:
            return q, all_
        step = np.linalg.lstsq(np.vstack([c.jacobian(data) for c in all_]), -gap, rcond=None)[0]
        q = pin.normalize(model, pin.integrate(model, q, step))
    raise RuntimeError(f"the loops do not close: {abs(gap).max()}")


def small(what, x, size):
    off = abs(np.asarray(x)).max() / size
    assert off < EXACT, f"{what}: {off}"
    return off


def state(figure, rng, wanted):
    model = figure.model
    q, all_ = connected(figure, rng, wanted)
    v, tau = np.array([rng.gauss(0, 1) for _ in range(model.nv)]), figure.random_tau(rng)

    data = model.createData()
    upper = np.triu(pin.crba(model, data, q))
    mass = upper + np.triu(upper, 1).T
    pin.computeJointJacobians(model, data, q)
    k = np.vstack([c.jacobian(data) for c in all_])
    assert np.linalg.matrix_rank(k) == len(k), "the rows depend on each other: forces would be a matter of taste"
    # velocities: the nearest ones consistent with the connections, in the metric of the mass matrix; twice for rounding
    g = k @ np.linalg.solve(mass, k.T)
    for _ in range(2):
        v = v - np.linalg.solve(mass, k.T @ np.linalg.solve(g, k @ v))
    small("velocity", k @ v, abs(v).max())

    # no regularisation: mu = 0, one iteration is exact
    data, models = model.createData(), pin.StdVec_RigidConstraintModel([c.theirs for c in all_])
    datas = pin.StdVec_RigidConstraintData([m.createData() for m in models])
    pin.initConstraintDynamics(model, data, models, datas)
    a = pin.constraintDynamics(model, data, q, v, tau, models, datas, pin.ProximalSettings(1e-14, 0.0, 1)).copy()
    forces = [d.contact_force.copy() for d in datas]

    data = model.createData()
    bias = pin.nonLinearEffects(model, data, q, v).copy()
    pin.forwardKinematics(model, data, q, v, a)
    wrenches = [c.wrench(data, f) for c, f in zip(all_, forces)]
    push = k.T @ np.concatenate([w[c.rows] for c, w in zip(all_, wrenches)])
    worst = max(
        small("equation of motion", mass @ a + bias - tau - push, abs(push).max()),
        small("second rate", np.concatenate([c.second_rate(data) for c in all_]), abs(a).max()),
    )
    out = {
        "connections": [c.as_json() for c in all_],
        "q": figure.q_per_joint(q),
        "v": figure.per_joint(v),
        "tau": figure.per_joint(tau),
        "acceleration": figure.per_joint(a),
        "wrenches": [floats(w) for w in wrenches],
    }
    return out, worst, np.linalg.cond(g)


NOTES = {
    "engine": "Pinocchio",
    "version": VERSION,
    "script": "oracle/closed.py",
    "conventions": "joints are named after their links; free q = [x,y,z,w,qx,qy,qz], v = [angular, linear] in child axes; "
                   "spherical q = [w,x,y,z], v in child axes; acceleration = dv/dt, component by component",
    "fields": "inertia: diagonal about com; connections join a frame on link a to one on link b (null is the world), "
              "orientation = [w,x,y,z]; wrenches: of each connection on link a, [moment, force], world axes, about the "
              "origin of the frame on a",
    "gravity": GRAVITY,
}


def table(indent, fields):
    return ",\n".join(f"{' ' * indent}{json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items())


def main():
    assert pin.__version__ == VERSION, f"expected pin=={VERSION}, found {pin.__version__}"
    figures = []
    for name, links, wanted in (human(), swing(True), swing(False)):
        figure = Figure(links)
        rng = random.Random(f"anthropi closed {name}")
        states, residuals, conditions = zip(*(state(figure, rng, wanted) for _ in range(STATES)))
        lines = ",\n".join("   " + json.dumps(b) for b in links)
        states = "\n   },\n   {\n".join(table(4, s) for s in states)
        figures.append(f'  "name": "{name}",\n  "links": [\n{lines}\n  ],\n  "states": [\n   {{\n{states}\n   }}\n  ]')
        print(f"{name}: {figure.model.nv} degrees of freedom, residual {max(residuals):.1e}, "
              f"condition of the small system {max(conditions):.1e}")
    text = "{\n" + table(1, NOTES) + ',\n "figures": [\n {\n' + "\n },\n {\n".join(figures) + "\n }\n ]\n}\n"
    json.loads(text)
    OUT.write_text(text)
    print(f"{OUT.relative_to(ROOT)}: {len(text)} bytes")


main()
