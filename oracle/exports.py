#!/usr/bin/env python3
"""Checks that other engines agree on our exported figures: exports.py BINARY

The program converts every built-in figure, `odd.toml` with the features they lack, and a person made for a BVH skeleton
to MJCF and URDF. MuJoCo 4.0.0 and Pinocchio 4.1.0 load the files; their mass matrix, inverse dynamics and centre of mass
are compared with `anthropi compute --rigid` in a few seeded states. Joints are found by name. If an engine's velocities
differ from ours, u = T v with T by joint, so that  M = T^T M' T,  tau = T^T tau'(q, u, T a + T-dot v):

  free       MuJoCo: linear velocity in world axes; Pinocchio: linear part first
  spherical  URDF has none: three hinges JOINT.0 to JOINT.2; T is the inverse of the matrix that takes their rates to
             the angular velocity, from the axes as written
`loops.toml` has connections, which only MJCF supports: MuJoCo must have both, with the same gaps between their ends.
Two scenes with closed chains are converted too: their accelerations, at rest and in motion, must equal those of the
exported model with its connections as constraints: by MuJoCo's matrices, [M -J^T; J 0] [a; f] = [-bias; -J-dot v] solved
densely, and by Pinocchio's `constraintDynamics` on a model built from MuJoCo's (Pinocchio's reader accepts only one root).
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as xml
from typing import NamedTuple, Sequence

import mujoco
import numpy as np
import pinocchio as pin

HERE = pathlib.Path(__file__).resolve().parent
STATES = 3
# relative to the largest number of each result; largest measured: 2e-15
AGREEMENT = 1e-12
# gaps between the ends of connections, m
CLOSED = 1e-12
# scenes with closed chains, and the relative agreement of their accelerations
SCENES = {"monkey-swing": ("MuJoCo", "Pinocchio"), "rope-lift": ("MuJoCo", "Pinocchio")}
CLOSED_AGREEMENT = 1e-8
# both ends of their connections relative to the exported position at the start, and by MuJoCo's own constraints, m
ASSEMBLED = 1e-9


# ---- our program ----------------------------------------------------------------------------------------------------

class Program:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder

    def run(self, *words):
        done = subprocess.run([self.binary, *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout

    def figures(self):
        return [f["name"] for f in json.loads(self.run("list", "--json"))["figures"]]

    def convert(self, figure, suffix):
        out = self.folder / f"{pathlib.Path(figure).stem}.{suffix}"
        self.run("convert", figure, out)
        return out

    def person(self):
        """A figure made for the skeleton of a recording, which here is a built-in motion as BVH."""
        recording, figure = self.folder / "recording.bvh", self.folder / "person.toml"
        self.run("convert", "keyed-walk", recording)
        self.run("convert", recording, figure)
        return figure

    def compute(self, figure, state, *want):
        file = self.folder / "state.json"
        file.write_text(json.dumps(state))
        return json.loads(self.run("compute", figure, "--rigid", "--state", file, "--quantities", ",".join(want), "--json"))


def joints_of(dofs):
    """Name and number of degrees of freedom of each joint, in our order."""
    joints = {}
    for dof in dofs:
        joints[joint_of(dof)] = joints.get(joint_of(dof), 0) + 1
    return joints


def joint_of(dof):
    """Name of the joint that has a degree of freedom: `JOINT` or `JOINT.k`."""
    head, _, tail = dof.rpartition(".")
    return head if head and tail.isdigit() else dof


def numbers(text):
    return np.array([float(x) for x in text.split()])


# ---- rotations ------------------------------------------------------------------------------------------------------

def about(axis, angle):
    return pin.AngleAxis(angle, axis).matrix()


def quaternion(r):
    """[w, x, y, z]"""
    x, y, z, w = pin.Quaternion(r).coeffs()
    return np.array([w, x, y, z])


def matrix(q):
    return pin.Quaternion(*q).matrix()


class Hinges:
    """Three hinges that represent a spherical joint: angular velocity in child axes = E(angles) rates."""

    def __init__(self, axes, angles):
        a, b, c = axes
        r2, r3 = about(b, angles[1]), about(c, angles[2])
        self.rotation = about(a, angles[0]) @ r2 @ r3
        self.e = np.column_stack([r3.T @ r2.T @ a, r3.T @ b, c])

    def drift(self, rates):
        """E-dot rates: each axis rotates backward with the hinges below it."""
        a, b, c = (axis * rate for axis, rate in zip(self.e.T, rates))
        return -np.cross(b + c, a) - np.cross(c, b)


# ---- states ---------------------------------------------------------------------------------------------------------

class Drawn:
    """A random state in our coordinates. Spherical joints are sampled as angles about the axes of the URDF export, the middle one
    away from gimbal lock."""

    def __init__(self, rng, joints, axes):
        self.q, self.v, self.a, self.hinges, self.angles = {}, {}, {}, {}, {}
        for name, n in joints.items():
            angles = [rng.uniform(-2, 2), rng.uniform(.3, 1.2), rng.uniform(-2, 2)]
            if n == 6:
                spin = np.array([rng.gauss(0, 1) for _ in range(4)])
                place = [rng.uniform(-1, 1) for _ in range(3)]
                self.q[name] = np.array([*place, *spin / np.linalg.norm(spin)])
            elif n == 3:
                self.hinges[name], self.angles[name] = Hinges(axes[name], angles), angles
                self.q[name] = quaternion(self.hinges[name].rotation)
            else:
                self.q[name] = np.array(angles[:n])
            self.v[name] = np.array([rng.gauss(0, 1) for _ in range(n)])
            self.a[name] = np.array([rng.gauss(0, 5) for _ in range(n)])

    def as_json(self):
        parts = {"q": self.q, "v": self.v, "a": self.a}
        return {key: {name: x.tolist() for name, x in part.items()} for key, part in parts.items()}


class Answer:
    def __init__(self, mass_matrix, inverse_dynamics, com):
        self.parts = {"mass matrix": mass_matrix, "inverse dynamics": inverse_dynamics, "centre of mass": com}

    def worst(self, reference):
        """Largest residual and its quantity."""
        def off(what):
            got, want = self.parts[what], reference.parts[what]
            if got.shape != want.shape or not np.isfinite(got).all():
                return float("inf")
            return abs(got - want).max() / max(1.0, abs(want).max())

        return max((off(what), what) for what in self.parts)


class Block(NamedTuple):
    """A joint in an engine: its index in u, T, T-dot v; and its v and a in our coordinates."""
    where: Sequence
    t: np.ndarray
    drift: np.ndarray
    v: np.ndarray
    a: np.ndarray


def whole(blocks, size):
    """T and T-dot v of all joints."""
    t, drift, at = np.zeros((size, sum(len(b.v) for b in blocks))), np.zeros(size), 0
    for b in blocks:
        t[np.ix_(b.where, range(at, at + len(b.v)))] = b.t
        drift[b.where] = b.drift
        at += len(b.v)
    return t, drift


def in_our_velocities(blocks, size, compute):
    """`compute` gives the engine's mass matrix, inverse dynamics for (u, u-dot), and centre of mass."""
    t, drift = whole(blocks, size)
    v, a = (np.concatenate([getattr(b, key) for b in blocks]) for key in "va")
    mass, tau, com = compute(t @ v, t @ a + drift)
    return Answer(t.T @ mass @ t, t.T @ tau, com)


# ---- MuJoCo ---------------------------------------------------------------------------------------------------------

def coordinates(model, data):
    """q of the joints in MuJoCo, by our names."""
    q = {}
    for j in range(model.njnt):
        joint = model.joint(j)
        size = {0: 7, 1: 4}.get(int(joint.type[0]), 1)
        q.setdefault(joint_of(joint.name), []).extend(data.qpos[joint.qposadr[0]:joint.qposadr[0] + size].tolist())
    return q


class MuJoCo:
    def __init__(self, path, _facts):
        self.model = m = mujoco.MjModel.from_xml_path(str(path))
        for off in (m.dof_armature, m.dof_damping, m.dof_frictionloss, m.jnt_stiffness):
            off[:] = 0
        m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(m)

    def set_q(self, name, q):
        """Sets the coordinates of a joint; returns its first index in v."""
        joint = self.model.joint(name)
        self.data.qpos[joint.qposadr[0]:joint.qposadr[0] + len(q)] = q
        return joint.dofadr[0]

    def block(self, name, q, v, a):
        """Sets the coordinates of one of our joints."""
        n, t, drift = len(v), np.eye(len(v)), np.zeros(len(v))
        if n == 2:
            where = [self.set_q(f"{name}.{k}", q[k:k + 1]) for k in range(2)]
        else:
            first = self.set_q(name, q)
            where = range(first, first + n)
        if n == 6:
            r, zero = matrix(q[3:]), np.zeros((3, 3))
            t = np.block([[zero, r], [np.eye(3), zero]])
            drift = np.concatenate([r @ np.cross(v[:3], v[3:]), np.zeros(3)])
        return Block(where, t, drift, v, a)

    def mass_matrix(self):
        """Positions must be computed."""
        mass = np.empty((self.model.nv, self.model.nv))
        for row, unit in zip(mass, np.eye(self.model.nv)):
            mujoco.mj_mulM(self.model, self.data, row, unit)
        return mass

    def answer(self, drawn):
        m, d = self.model, self.data
        blocks = [self.block(name, q, drawn.v[name], drawn.a[name]) for name, q in drawn.q.items()]

        def compute(v, a):
            d.qvel[:], d.qacc[:] = v, a
            mujoco.mj_inverse(m, d)
            return self.mass_matrix(), d.qfrc_inverse.copy(), d.subtree_com[0].copy()

        return in_our_velocities(blocks, m.nv, compute)


# ---- Pinocchio ------------------------------------------------------------------------------------------------------

class Pinocchio:
    def __init__(self, path, facts):
        with Hushed():
            base = [pin.JointModelFreeFlyer()] if facts["is_free"] else []
            self.model = pin.buildModelFromUrdf(str(path), *base)
        self.model.gravity.linear = np.array(facts["gravity"])
        self.model.armature = np.zeros(self.model.nv)
        self.data = self.model.createData()

    def set_angle(self, q, name, angle):
        assert self.model.existJointName(name), f"there is no joint {name}"
        j = self.model.joints[self.model.getJointId(name)]
        # a joint without limits is stored as cosine and sine
        q[j.idx_q:j.idx_q + j.nq] = [angle] if j.nq == 1 else [np.cos(angle), np.sin(angle)]
        return j.idx_v

    def answer(self, drawn):
        model, q, blocks = self.model, pin.neutral(self.model), []
        for name, ours in drawn.q.items():
            v, a = drawn.v[name], drawn.a[name]
            n, t, drift = len(v), np.eye(len(v)), np.zeros(len(v))
            if n == 6:
                q[:7] = [*ours[:3], *ours[4:], ours[3]]
                where = [3, 4, 5, 0, 1, 2]
            else:
                parts = [name] if n == 1 else [f"{name}.{k}" for k in range(n)]
                where = [self.set_angle(q, part, x) for part, x in zip(parts, drawn.angles.get(name, ours))]
            if n == 3:
                h = drawn.hinges[name]
                t = np.linalg.inv(h.e)
                drift = -t @ h.drift(t @ v)
            blocks.append(Block(where, t, drift, v, a))

        def compute(v, a):
            tau = pin.rnea(model, self.data, q, v, a).copy()
            upper = np.triu(pin.crba(model, self.data, q))
            return upper + np.triu(upper, 1).T, tau, pin.centerOfMass(model, self.data, q).copy()

        return in_our_velocities(blocks, model.nv, compute)


class Hushed:
    """Suppresses the URDF parser's warnings about capsules (supported only in URDF 1.1)."""

    def __enter__(self):
        self.kept, self.nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        os.dup2(self.nowhere, 2)

    def __exit__(self, *_):
        os.dup2(self.kept, 2)
        os.close(self.kept)
        os.close(self.nowhere)


# ---- the checks -----------------------------------------------------------------------------------------------------

class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def line(self, name, is_good, text):
        self.passed, self.failed = self.passed + is_good, self.failed + (not is_good)
        text = " ".join(text.split("\n"))
        print(f"{'ok  ' if is_good else 'FAIL'} {name:<24} {text}", flush=True)

    def attempt(self, name, check):
        try:
            self.line(name, *check())
        except Exception as e:  # any error of an engine is a result
            self.line(name, False, f"{type(e).__name__}: {e}")


def check_tree(program, figure, report):
    name = pathlib.Path(figure).stem
    joints = joints_of(program.compute(figure, {}, "dofs")["dofs"])
    files = {suffix: program.convert(figure, suffix) for suffix in ("xml", "urdf")}
    # URDF has neither gravity nor a free base
    gravity = numbers(xml.parse(files["xml"]).find("option").get("gravity"))
    facts = {"is_free": 6 in joints.values(), "gravity": gravity}
    hinges = {j.get("name"): j.find("axis") for j in xml.parse(files["urdf"]).getroot().iter("joint")}
    axes = {j: [numbers(hinges[f"{j}.{k}"].get("xyz")) for k in range(3)] for j, n in joints.items() if n == 3}
    rng = random.Random(f"anthropi exports {name}")
    states = [Drawn(rng, joints, axes) for _ in range(STATES)]
    ours = []
    for s in states:
        r = program.compute(figure, s.as_json(), "mass_matrix", "inverse_dynamics", "com")
        ours.append(Answer(*(np.array(r[key]) for key in ("mass_matrix", "inverse_dynamics", "com"))))
    for engine, suffix in ((MuJoCo, "xml"), (Pinocchio, "urdf")):
        def check():
            loaded = engine(files[suffix], facts)
            off, what = max(loaded.answer(s).worst(o) for s, o in zip(states, ours))
            return off <= AGREEMENT, f"{engine.__name__:<10} worst residual {off:.1e} ({what})"

        report.attempt(f"{name}.{suffix}", check)


def check_loops(program, figure):
    """Both connections exist and are closed in the reference pose; moved apart, MuJoCo reports the same gaps as we do."""
    ends = tomllib.loads(pathlib.Path(figure).read_text())["connect"]
    model = mujoco.MjModel.from_xml_path(str(program.convert(figure, "xml")))
    kinds = [mujoco.mjtEq(k).name for k in model.eq_type]
    if kinds != ["mjEQ_CONNECT", "mjEQ_WELD"]:
        return False, f"equality constraints: {kinds}"
    data = mujoco.MjData(model)

    def gaps():
        mujoco.mj_forward(model, data)
        return [data.efc_pos[data.efc_id == i][:3].copy() for i in range(2)], abs(data.efc_pos).max()

    drawn = gaps()[1]
    rng = random.Random("anthropi loops")
    v = np.array([rng.uniform(-.5, .5) for _ in range(model.nv)])
    mujoco.mj_integratePos(model, data.qpos, v, 1.0)
    poses = program.compute(figure, {"q": coordinates(model, data)}, "link_poses")["link_poses"]

    def world(link, at):
        p = poses[link] if link else {"position": [0, 0, 0], "orientation": [1, 0, 0, 0]}
        return p["position"] + matrix(p["orientation"]) @ np.array(at, float)

    off = 0.0
    for seen, c in zip(gaps()[0], ends):
        gap = world(c["a"], c["a_at"]) - world(c.get("b"), c["b_at"])
        off = max(off, abs(seen - gap).max())
    return max(drawn, off) < CLOSED, f"MuJoCo     2 connections, open by {drawn:.1e} as drawn, gaps differ by {off:.1e} m"


class Closed:
    """A scene as MuJoCo reads our export, at its start (the keyframe `home`), with its connections as constraints. The
    position of a connection is its exported site on the first body; on the second body the point that coincides with it."""

    def __init__(self, program, scene):
        self.program, self.scene = program, scene
        self.path = program.convert(scene, "xml")
        self.engine = MuJoCo(self.path, None)
        m, d = self.engine.model, self.engine.data
        if [mujoco.mjtEq(k).name for k in m.eq_type] != ["mjEQ_CONNECT"] * 2:
            raise RuntimeError("expected two connections")
        d.qpos[:] = m.key("home").qpos
        mujoco.mj_forward(m, d)
        self.q = coordinates(m, d)
        self.joints = joints_of(program.compute(scene, {}, "dofs")["dofs"])
        if any(kind != mujoco.mjtObj.mjOBJ_SITE for kind in m.eq_objtype):
            raise RuntimeError("expected connections between sites")
        self.bodies = [(int(m.site_bodyid[a]), int(m.site_bodyid[b])) for a, b in zip(m.eq_obj1id, m.eq_obj2id)]
        self.points = [d.site_xpos[a].copy() for a in m.eq_obj1id]

    def gap(self):
        """Our initial state is the exported one, and both ends declared in the scene are at the exported positions: m."""
        ours = self.program.compute(self.scene, {}, "link_poses")["link_poses"]
        text = (HERE.parent / "crates" / "app" / "scenes" / f"{self.scene}.toml").read_text()
        ends = {c["name"]: c for c in tomllib.loads(text)["connect"]}
        off = 0.0
        for i, point in enumerate(self.points):
            c = ends[self.engine.model.equality(i).name]
            for link, at in ((c["a"], c["a_at"]), (c.get("b"), c["b_at"])):
                p = ours[link] if link else {"position": [0, 0, 0], "orientation": [1, 0, 0, 0]}
                place = p["position"] + matrix(p["orientation"]) @ np.array(at, float)
                off = max(off, abs(place - point).max())
        return off

    def own_gap(self):
        """Gap of the connections at the start by MuJoCo's own constraints, m."""
        m = mujoco.MjModel.from_xml_path(str(self.path))
        d = mujoco.MjData(m)
        d.qpos[:] = m.key("home").qpos
        mujoco.mj_forward(m, d)
        rows = d.efc_pos[d.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
        if len(rows) != 3 * m.neq:
            raise RuntimeError(f"MuJoCo has {len(rows)} rows for {m.neq} connections")
        return max(np.linalg.norm(gap) for gap in rows.reshape(-1, 3))

    def rows(self, derive):
        """Velocity of the first body relative to the second for all connections, by `derive`."""
        m, d, rows = self.engine.model, self.engine.data, []
        for (a, b), point in zip(self.bodies, self.points):
            ends = []
            for body in (a, b):
                ends.append(np.zeros((3, m.nv)))
                derive(m, d, ends[-1], None, point, body)
            rows.append(ends[0] - ends[1])
        return np.vstack(rows)

    def by_joint(self, v):
        return dict(zip(self.joints, np.split(v, np.cumsum(list(self.joints.values()))[:-1])))

    def change(self, v):
        """T and T-dot v; sets the pose."""
        blocks = [self.engine.block(name, self.q[name], x, x) for name, x in self.by_joint(v).items()]
        return whole(blocks, self.engine.model.nv)

    def agreeing(self, v):
        """The nearest velocities consistent with the connections, in the metric of the mass matrix."""
        t, j = self.change(v)[0], self.rows(mujoco.mj_jac)
        u, inverse = t @ v, np.linalg.solve(self.engine.mass_matrix(), j.T)
        for _ in range(2):  # twice for rounding
            u = u - inverse @ np.linalg.solve(j @ inverse, j @ u)
        return np.linalg.solve(t, u)

    def ours(self, v):
        state = {"q": self.q, "v": {name: x.tolist() for name, x in self.by_joint(v).items()}}
        return np.array(self.program.compute(self.scene, state, "forward_dynamics")["forward_dynamics"])

    def by_mujoco(self, v):
        m, d = self.engine.model, self.engine.data
        t, drift = self.change(v)
        d.qvel[:] = t @ v
        mujoco.mj_forward(m, d)
        j = self.rows(mujoco.mj_jac)
        kkt = np.block([[self.engine.mass_matrix(), -j.T], [j, np.zeros((len(j), len(j)))]])
        right = np.concatenate([-d.qfrc_bias, -self.rows(mujoco.mj_jacDot) @ d.qvel])
        return np.linalg.solve(t, np.linalg.solve(kkt, right)[:m.nv] - drift)

    def by_pinocchio(self, v):
        """Pinocchio's model is built joint by joint from MuJoCo's: its own reader accepts only one root."""
        model, last = pinocchio_of(self.engine.model)
        data, q = model.createData(), pinocchio_pose(self.engine.model, model)
        pin.forwardKinematics(model, data, q)

        def end(body, point):
            return last[body], pin.SE3(np.eye(3), data.oMi[last[body]].actInv(point))

        models = pin.StdVec_RigidConstraintModel([
            pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *end(a, point), *end(b, point),
                                     pin.ReferenceFrame.LOCAL)
            for (a, b), point in zip(self.bodies, self.points)])
        datas = pin.StdVec_RigidConstraintData([m.createData() for m in models])
        pin.initConstraintDynamics(model, data, models, datas)
        where = np.concatenate([self.places(model, name) for name in self.joints])
        theirs = np.zeros(model.nv)
        theirs[where] = v
        # no regularisation: mu = 0, one iteration is exact
        exact = pin.ProximalSettings(1e-14, 0.0, 1)
        return pin.constraintDynamics(model, data, q, theirs, np.zeros(model.nv), models, datas, exact)[where]

    def places(self, model, name):
        """Indices of our joint in Pinocchio: a universal joint is two hinges, a free one has the linear part first."""
        if not model.existJointName(name):
            return [model.joints[model.getJointId(f"{name}.{k}")].idx_v for k in range(self.joints[name])]
        at = model.joints[model.getJointId(name)]
        own = list(range(at.idx_v, at.idx_v + at.nv))
        return own[3:] + own[:3] if at.nv == 6 else own


def pinocchio_of(m):
    """The tree of a MuJoCo model in Pinocchio, and the last joint of each body."""
    kinds = mujoco.mjtJoint
    model, last, frames = pin.Model(), {0: 0}, {0: pin.SE3.Identity()}  # frames: the body's in its last joint's
    shift = lambda p: pin.SE3(np.eye(3), p)
    for body in range(1, m.nbody):
        parent = int(m.body_parentid[body])
        joint = last[parent]
        place = frames[parent] * pin.SE3(matrix(m.body_quat[body]), m.body_pos[body].copy())
        for k in range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body]):
            axis, kind, at = m.jnt_axis[k].copy(), m.jnt_type[k], m.jnt_pos[k].copy()
            place = place * shift(at)
            if kind == kinds.mjJNT_FREE:
                what, place = pin.JointModelFreeFlyer(), pin.SE3.Identity()
            elif kind == kinds.mjJNT_BALL:
                what = pin.JointModelSpherical()
            else:
                assert kind == kinds.mjJNT_HINGE, "hinges, balls and free joints"
                what = pin.JointModelRevoluteUnaligned(axis)
                # MuJoCo rotates by q minus the coordinate of the reference pose
                drawn = -m.qpos0[m.jnt_qposadr[k]]
                place = place * pin.SE3(pin.AngleAxis(drawn, axis).matrix(), np.zeros(3))
            joint, place = model.addJoint(joint, what, place, m.joint(k).name), shift(-at)
        turn = matrix(m.body_iquat[body])
        inertia = pin.Inertia(m.body_mass[body], m.body_ipos[body].copy(), turn @ np.diag(m.body_inertia[body]) @ turn.T)
        model.appendBodyToJoint(joint, inertia, place)
        last[body], frames[body] = joint, place
    model.gravity.linear = m.opt.gravity.copy()
    return model, last


def pinocchio_pose(m, model):
    """The keyframe `home` in Pinocchio's order: quaternions end with w."""
    q, home = pin.neutral(model), m.key("home").qpos
    for k in range(m.njnt):
        at, to = m.jnt_qposadr[k], model.joints[model.getJointId(m.joint(k).name)]
        own = home[at:at + to.nq]
        q[to.idx_q:to.idx_q + to.nq] = {1: own, 4: np.roll(own, -1), 7: [*own[:3], *np.roll(own[3:], -1)]}[to.nq]
    return q


def check_closed(program, scene, engine):
    """At rest, and with random velocities made consistent with the connections."""
    closed = Closed(program, scene)
    accelerations = {"MuJoCo": closed.by_mujoco, "Pinocchio": closed.by_pinocchio}[engine]
    rng = random.Random(f"anthropi closed scene {scene}")
    drawn = np.array([rng.gauss(0, 1) for _ in range(closed.engine.model.nv)])

    def residual(v):
        want = accelerations(v)
        return abs(closed.ours(v) - want).max() / abs(want).max()

    gap, still, moving = closed.gap(), residual(0 * drawn), residual(closed.agreeing(drawn))
    own_gap = closed.own_gap()
    is_good = max(still, moving) <= CLOSED_AGREEMENT and max(gap, own_gap) <= ASSEMBLED
    open_by = f"open by {gap:.1e} m, {own_gap:.1e} m by MuJoCo"
    return is_good, f"{engine:<10} loops: residual {still:.1e} at rest, {moving:.1e} moving; {open_by}"


def main(binary):
    assert mujoco.__version__ == "4.0.0" and pin.__version__ == "4.1.0", "see oracle/run.sh for the versions"
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(binary, pathlib.Path(folder))
        for figure in [*program.figures(), HERE / "odd.toml", program.person()]:
            try:
                check_tree(program, figure, report)
            except Exception as e:  # our own program, or a file that no engine reads
                report.line(pathlib.Path(figure).stem, False, f"{type(e).__name__}: {e}")
        report.attempt("loops.xml", lambda: check_loops(program, HERE / "loops.toml"))
        for scene, engines in SCENES.items():
            for engine in engines:
                report.attempt(f"{scene}.xml", lambda: check_closed(program, scene, engine))
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: exports.py BINARY")
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
