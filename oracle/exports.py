#!/usr/bin/env python3
"""What we export means the same to other engines: exports.py BINARY

Every built-in figure, and `odd.toml` with what they lack, is converted to MJCF and URDF by the real program. MuJoCo 4.0.0
and Pinocchio 4.1.0 load the files; their mass matrix, inverse dynamics and centre of mass are compared with
`anthropi compute --rigid` in a few seeded states. Joints are found by name. Where an engine has other velocities than we,
u = T v with T by joint, so that  M = T^T M' T,  tau = T^T tau'(q, u, T a + T-dot v):

  free       MuJoCo: linear velocity in world axes; Pinocchio: linear part first
  spherical  URDF has none: three hinges JOINT.0 to JOINT.2; T is the inverse of the matrix that takes their rates to
             the angular velocity, from the axes as written
`loops.toml` has connections, which only MJCF can say: MuJoCo must have both, with our gaps between their ends.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import mujoco
import numpy as np
import pinocchio as pin

HERE = pathlib.Path(__file__).resolve().parent
STATES = 3
# relative to the largest number of each answer; measured 5e-14 at the worst
AGREEMENT = 1e-9
# gaps between the ends of connections, m
CLOSED = 1e-12


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

    def compute(self, figure, state, *want):
        file = self.folder / "state.json"
        file.write_text(json.dumps(state))
        return json.loads(self.run("compute", figure, "--rigid", "--state", file, "--want", ",".join(want), "--json"))


def joints_of(dofs):
    """Name and number of degrees of freedom of each joint, in our order."""
    joints = {}
    for dof in dofs:
        head, _, tail = dof.rpartition(".")
        name = head if head and tail.isdigit() else dof
        joints[name] = joints.get(name, 0) + 1
    return joints


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
    """Three hinges in a row that stand for a spherical joint: angular velocity in child axes = E(angles) rates."""

    def __init__(self, axes, angles):
        a, b, c = axes
        r2, r3 = about(b, angles[1]), about(c, angles[2])
        self.rotation = about(a, angles[0]) @ r2 @ r3
        self.e = np.column_stack([r3.T @ r2.T @ a, r3.T @ b, c])

    def drift(self, rates):
        """E-dot rates: each axis turns backward with the hinges below it."""
        a, b, c = (axis * rate for axis, rate in zip(self.e.T, rates))
        return -np.cross(b + c, a) - np.cross(c, b)


# ---- states ---------------------------------------------------------------------------------------------------------

class Drawn:
    """A random state, ours. Spherical joints are drawn as angles about the axes that URDF gives them, the middle one
    away from where they would be singular."""

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
        """Largest residual and what it is in."""
        def off(what):
            got, want = self.parts[what], reference.parts[what]
            if got.shape != want.shape or not np.isfinite(got).all():
                return float("inf")
            return abs(got - want).max() / max(1.0, abs(want).max())

        return max((off(what), what) for what in self.parts)


def in_our_velocities(blocks, size, answer):
    """blocks: of each joint, in our order: (where it is in the engine's v, T, T-dot v), and the drawn a. `answer` gives
    the engine's mass matrix, inverse dynamics for (v, a), and centre of mass."""
    n = sum(t.shape[1] for _, t, _, _, _ in blocks)
    t_all, bias, v, a, at = np.zeros((size, n)), np.zeros(size), np.zeros(n), np.zeros(n), 0
    for where, t, drift, v_joint, a_joint in blocks:
        k = t.shape[1]
        t_all[np.ix_(where, range(at, at + k))] = t
        bias[where] = drift
        v[at:at + k], a[at:at + k] = v_joint, a_joint
        at += k
    mass, tau, com = answer(t_all @ v, t_all @ a + bias)
    return Answer(t_all.T @ mass @ t_all, t_all.T @ tau, com)


# ---- MuJoCo ---------------------------------------------------------------------------------------------------------

class MuJoCo:
    def __init__(self, path, _gravity):
        self.model = mujoco.MjModel.from_xml_path(str(path))
        m = self.model
        for off in (m.dof_armature, m.dof_damping, m.dof_frictionloss, m.jnt_stiffness):
            off[:] = 0
        m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(m)

    def place(self, name):
        joint = self.model.joint(name)
        return joint.qposadr[0], joint.dofadr[0]

    def set_q(self, drawn):
        """Sets q; returns the blocks of T."""
        blocks = []
        for name, q in drawn.q.items():
            v, a = drawn.v[name], drawn.a[name]
            n, eye, none = len(v), np.eye(len(v)), np.zeros(len(v))
            parts = [f"{name}.{k}" for k in range(2)] if n == 2 else [name]
            places = [self.place(p) for p in parts]
            for k, (at, _) in enumerate(places):
                mine = q[k:k + 1] if n == 2 else q
                self.data.qpos[at:at + len(mine)] = mine
            where = [i for _, i in places] if n == 2 else list(range(places[0][1], places[0][1] + n))
            if n == 6:
                r, zero = matrix(q[3:]), np.zeros((3, 3))
                t = np.block([[zero, r], [np.eye(3), zero]])
                blocks.append((where, t, np.concatenate([r @ np.cross(v[:3], v[3:]), np.zeros(3)]), v, a))
            else:
                blocks.append((where, eye, none, v, a))
        return blocks

    def answer(self, drawn):
        m, d = self.model, self.data
        blocks = self.set_q(drawn)

        def compute(v, a):
            d.qvel[:], d.qacc[:] = v, a
            mujoco.mj_inverse(m, d)
            units = np.eye(m.nv)
            mass = np.empty((m.nv, m.nv))
            mujoco.mj_mulM(m, d, mass[0], units[0])
            for row, unit in zip(mass, units):
                mujoco.mj_mulM(m, d, row, unit)
            return mass, d.qfrc_inverse.copy(), d.subtree_com[0].copy()

        return in_our_velocities(blocks, m.nv, compute)


# ---- Pinocchio ------------------------------------------------------------------------------------------------------

class Pinocchio:
    def __init__(self, path, gravity):
        robot = xml.parse(path).getroot()
        root = pin.JointModelFreeFlyer() if gravity["is_free"] else None
        self.model = pin.buildModelFromUrdf(str(path), root) if root else pin.buildModelFromUrdf(str(path))
        self.model.gravity.linear = np.array(gravity["gravity"])
        self.model.armature = np.zeros(self.model.nv)
        self.data = self.model.createData()
        self.axes = {j.get("name"): np.array([float(x) for x in j.find("axis").get("xyz").split()])
                     for j in robot.iter("joint") if j.find("axis") is not None}

    def set_angle(self, q, name, angle):
        assert self.model.existJointName(name), f"there is no joint {name}"
        j = self.model.joints[self.model.getJointId(name)]
        # a joint without limits is held as cosine and sine
        q[j.idx_q:j.idx_q + j.nq] = [angle] if j.nq == 1 else [np.cos(angle), np.sin(angle)]
        return j.idx_v

    def answer(self, drawn):
        model, q, blocks = self.model, pin.neutral(self.model), []
        for name, mine in drawn.q.items():
            v, a = drawn.v[name], drawn.a[name]
            n, eye, none = len(v), np.eye(len(v)), np.zeros(len(v))
            if n == 6:
                q[:7] = [*mine[:3], *mine[4:], mine[3]]
                blocks.append(([3, 4, 5, 0, 1, 2], eye, none, v, a))
                continue
            angles = drawn.angles.get(name, mine)
            parts = [name] if n == 1 else [f"{name}.{k}" for k in range(n)]
            where = [self.set_angle(q, part, x) for part, x in zip(parts, angles)]
            if n == 3:
                h = drawn.hinges[name]
                t = np.linalg.inv(h.e)
                blocks.append((where, t, -t @ h.drift(t @ v), v, a))
            else:
                blocks.append((where, eye, none, v, a))

        def compute(v, a):
            tau = pin.rnea(model, self.data, q, v, a).copy()
            upper = np.triu(pin.crba(model, self.data, q))
            return upper + np.triu(upper, 1).T, tau, pin.centerOfMass(model, self.data, q).copy()

        return in_our_velocities(blocks, model.nv, compute)


# ---- the checks -----------------------------------------------------------------------------------------------------

class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def line(self, name, is_good, text):
        self.passed, self.failed = self.passed + is_good, self.failed + (not is_good)
        print(f"{'ok  ' if is_good else 'FAIL'} {name:<24} {text}", flush=True)

    def attempt(self, name, check):
        try:
            self.line(name, *check())
        except Exception as e:  # whatever an engine says of the file is the result
            self.line(name, False, f"{type(e).__name__}: {e}")


def check_tree(program, figure, report):
    name = pathlib.Path(figure).stem
    joints = joints_of(program.compute(figure, {}, "dofs")["dofs"])
    gravity = xml.parse(program.convert(figure, "xml")).find("option").get("gravity")
    facts = {"is_free": 6 in joints.values(), "gravity": [float(x) for x in gravity.split()]}
    urdf = Pinocchio(program.convert(figure, "urdf"), facts)
    axes = {j: [urdf.axes[f"{j}.{k}"] for k in range(3)] for j, n in joints.items() if n == 3}
    rng = random.Random(f"anthropi exports {name}")
    states = [Drawn(rng, joints, axes) for _ in range(STATES)]
    ours = []
    for s in states:
        r = program.compute(figure, s.as_json(), "mass_matrix", "inverse_dynamics", "com")
        ours.append(Answer(*(np.array(r[key]) for key in ("mass_matrix", "inverse_dynamics", "com"))))
    for suffix, engine in (("xml", MuJoCo), ("urdf", Pinocchio)):
        def check():
            loaded = engine(program.convert(figure, suffix), facts)
            off, what = max(loaded.answer(s).worst(o) for s, o in zip(states, ours))
            return off <= AGREEMENT, f"{engine.__name__:<10} worst residual {off:.1e} ({what})"

        report.attempt(f"{name}.{suffix}", check)


def check_loops(program, figure):
    """Both connections are there, closed as drawn; moved apart, MuJoCo sees the gaps that we see."""
    import tomllib
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
    q = {}
    for j in range(model.njnt):
        joint = model.joint(j)
        size = {0: 7, 1: 4}.get(int(joint.type[0]), 1)
        q.setdefault(joint.name.partition(".")[0], []).extend(data.qpos[joint.qposadr[0]:joint.qposadr[0] + size])
    poses = program.compute(figure, {"q": q}, "link_poses")["link_poses"]

    def world(link, at):
        p = poses[link] if link else {"position": [0, 0, 0], "orientation": [1, 0, 0, 0]}
        return p["position"] + matrix(p["orientation"]) @ np.array(at, float)

    off = 0.0
    for seen, c in zip(gaps()[0], ends):
        gap = world(c["a"], c["a_at"]) - world(c.get("b"), c["b_at"])
        off = max(off, abs(seen - gap).max())
    return max(drawn, off) < CLOSED, f"MuJoCo     2 connections, open by {drawn:.1e} as drawn, gaps differ by {off:.1e} m"


def main(binary):
    assert mujoco.__version__ == "4.0.0" and pin.__version__ == "4.1.0", "see oracle/run.sh for the versions"
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(binary, pathlib.Path(folder))
        for figure in [*program.figures(), HERE / "odd.toml"]:
            try:
                check_tree(program, figure, report)
            except Exception as e:  # our own program, or a file no engine reads
                report.line(pathlib.Path(figure).stem, False, f"{type(e).__name__}: {e}")
        report.attempt("loops.xml", lambda: check_loops(program, HERE / "loops.toml"))
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: exports.py BINARY")
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
