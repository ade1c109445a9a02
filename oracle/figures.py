#!/usr/bin/env python3
"""Dynamics of the built-in figures by Pinocchio 4.1.0, for `fixtures/oracle/NAME.json`.

Reads the figures (TOML), computes masses and inertias of shapes independently, builds a Pinocchio model, and writes the
expected results of our algorithms for a few seeded random states, in our conventions:

  free joint       q = [x, y, z, w, qx, qy, qz], v = [angular, linear] of the child in child axes
  spherical joint  q = [w, x, y, z], v = angular velocity of the child in child axes
  universal joint  two angles: about the first axis, then about the second, which moves with the first
  `a`              time derivative of `v`. For the free joint that is the derivative of the components of the body's
                   velocity in its own moving axes (the spatial acceleration), in Pinocchio as in Anthropi.
Joint damping, springs, limits and armature are ignored (rigid figures). Gravity is (0, 0, -9.81).
"""
import json
import math
import pathlib
import random
import tomllib

import numpy as np
import pinocchio as pin

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ROOT / "crates" / "app" / "figures"
OUT = ROOT / "fixtures" / "oracle"
NAMES = ["human-16", "human-28", "human-40", "anthropi-42"]
STATES = 4
VERSION = "4.1.0"
UNIT = {"x": np.array([1.0, 0, 0]), "y": np.array([0, 1.0, 0]), "z": np.array([0, 0, 1.0])}
# keys that do not change the rigid figure; all others must be handled below
PASSIVE = {"range_deg", "limit", "damping", "effort", "order"}


# ---- mass properties ------------------------------------------------------------------------------------------------

def solid(shape):
    """Volume and second moment about the centre of a solid of unit density."""
    if shape["kind"] == "box":
        x, y, z = shape["size"]
        v = x * y * z
        return v, np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * v / 12
    if shape["kind"] == "capsule":
        r, h = shape["radius"], shape["length"]
        shaft, half_ball = math.pi * r * r * h, 2 / 3 * math.pi * r**3
        # half ball about its own centre of mass, 3/8 r from the flat side
        across = 83 / 320 * half_ball * r * r + half_ball * (h / 2 + 3 / 8 * r) ** 2
        side = shaft * (3 * r * r + h * h) / 12 + 2 * across
        along = shaft * r * r / 2 + 2 * (2 / 5 * half_ball * r * r)
        return shaft + 2 * half_ball, np.diag([side, side, along])
    raise ValueError(shape["kind"])


def steiner(mass, d):
    """Second moment of a point mass at d."""
    return mass * (d @ d * np.eye(3) - np.outer(d, d))


def inertia(link):
    """Mass, centre, second moment about the centre."""
    if "inertia" in link:
        return link["mass"], np.array(link["center"], float), np.diag(np.array(link["inertia"], float))
    parts = []
    for shape in link["shape"]:
        assert set(shape) <= {"kind", "size", "radius", "length", "at"}, shape
        parts.append((*solid(shape), np.array(shape["at"], float)))
    volume = sum(v for v, _, _ in parts)
    density = link["density"] if "density" in link else link["mass"] / volume
    center = sum(v * at for v, _, at in parts) / volume
    second = sum(j + steiner(v, at - center) for v, j, at in parts)
    return density * volume, center, density * second


# ---- the figure as a Pinocchio model --------------------------------------------------------------------------------

def joint_model(joint):
    kind = joint["kind"]
    if kind == "free":
        return pin.JointModelFreeFlyer()
    if kind == "spherical":
        return pin.JointModelSpherical()
    if kind == "universal":
        return pin.JointModelUniversal(*(UNIT[a] for a in joint["axes"]))
    if kind == "revolute":
        return {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}[joint["axis"]]()
    raise ValueError(kind)


class Figure:
    """The model, and the index of each link and joint of the file in it."""

    def __init__(self, text):
        data = tomllib.loads(text)
        self.model = pin.Model()
        self.links = {}   # name: (joint of the model, placement on it)
        self.joints = []  # (name, kind, joint of the model), in our order of coordinates
        for link in data["link"]:
            self.add(link, link["joint"])

    def add(self, link, joint):
        assert set(joint) <= {"name", "kind", "parent", "at", "axis", "axes", "home"} | PASSIVE, joint
        above, on_above = self.links.get(joint.get("parent"), (0, pin.SE3.Identity()))
        place = on_above * pin.SE3(np.eye(3), np.array(joint.get("at", [0, 0, 0]), float))
        body = pin.Inertia(*inertia(link))
        if joint["kind"] == "fixed":
            self.model.appendBodyToJoint(above, body, place)
            self.links[link["name"]] = (above, place)
            return
        index = self.model.addJoint(above, joint_model(joint), place, joint["name"])
        self.model.appendBodyToJoint(index, body, pin.SE3.Identity())
        self.links[link["name"]] = (index, pin.SE3.Identity())
        self.joints.append((joint["name"], joint["kind"], index))

    def dofs(self):
        names = []
        for name, _, i in self.joints:
            n = self.model.joints[i].nv
            names += [name] if n == 1 else [f"{name}.{k}" for k in range(n)]
        return names

    def v_order(self):
        """Index in Pinocchio's v of each of our degrees of freedom: ours has the angular part first."""
        order = []
        for _, kind, i in self.joints:
            first, n = self.model.joints[i].idx_v, self.model.joints[i].nv
            order += [first + k for k in ([3, 4, 5, 0, 1, 2] if kind == "free" else range(n))]
        return order

    def per_joint(self, ours):
        out, at = {}, 0
        for name, _, i in self.joints:
            n = self.model.joints[i].nv
            out[name] = floats(ours[at:at + n])
            at += n
        return out


def floats(x):
    return [float(c) for c in np.asarray(x).ravel()]


# ---- states ---------------------------------------------------------------------------------------------------------

def random_quaternion(rng):
    """[w, x, y, z], uniformly distributed over all rotations."""
    q = np.array([rng.gauss(0, 1) for _ in range(4)])
    return q / np.linalg.norm(q)


def random_q(rng, figure):
    """Our q of each joint, and Pinocchio's."""
    ours, theirs = {}, pin.neutral(figure.model)
    for name, kind, i in figure.joints:
        at = figure.model.joints[i].idx_q
        if kind in ("free", "spherical"):
            w, x, y, z = random_quaternion(rng)
            p = [rng.uniform(-1, 1) for _ in range(3)] if kind == "free" else []
            ours[name] = floats([*p, w, x, y, z])
            theirs[at:at + len(p) + 4] = [*p, x, y, z, w]
        else:
            angles = [rng.uniform(-2, 2) for _ in range(figure.model.joints[i].nq)]
            ours[name] = floats(angles)
            theirs[at:at + len(angles)] = angles
    return ours, theirs


def state(rng, figure):
    model, order = figure.model, figure.v_order()
    data = model.createData()
    q_ours, q = random_q(rng, figure)

    def draw(size):
        ours = np.array([rng.gauss(0, size) for _ in range(model.nv)])
        theirs = np.empty(model.nv)
        theirs[order] = ours
        return ours, theirs

    (v_ours, v), (a_ours, a), (tau_ours, tau) = draw(1.0), draw(5.0), draw(20.0)
    inverse = pin.rnea(model, data, q, v, a)[order]
    forward = pin.aba(model, data, q, v, tau)[order]
    upper = np.triu(pin.crba(model, data, q))
    mass_matrix = (upper + np.triu(upper, 1).T)[np.ix_(order, order)]
    kinetic, potential = pin.computeKineticEnergy(model, data, q, v), pin.computePotentialEnergy(model, data, q)
    com = pin.centerOfMass(model, data, q).copy()
    momentum = pin.computeCentroidalMomentum(model, data, q, v)
    pin.forwardKinematics(model, data, q, v)
    return {
        "q": q_ours,
        "v": figure.per_joint(v_ours),
        "a": figure.per_joint(a_ours),
        "inverse_dynamics": figure.per_joint(inverse),
        "tau": figure.per_joint(tau_ours),
        "forward_dynamics": figure.per_joint(forward),
        "mass_matrix": [floats(row[:i + 1]) for i, row in enumerate(mass_matrix)],
        "com": floats(com),
        "momentum": {"linear": floats(momentum.linear), "angular": floats(momentum.angular)},
        "kinetic_energy": float(kinetic),
        "potential_energy": float(potential),
        "link_poses": {name: pose(data.oMi[i] * place) for name, (i, place) in figure.links.items()},
    }


def pose(world_from_link):
    x, y, z, w = pin.Quaternion(world_from_link.rotation).coeffs()
    sign = -1.0 if w < 0 else 1.0
    return {"position": floats(world_from_link.translation), "orientation": floats(sign * np.array([w, x, y, z]))}


NOTES = {
    "engine": "Pinocchio",
    "version": VERSION,
    "script": "oracle/figures.py",
    "conventions": "free q = [x,y,z,w,qx,qy,qz], v = [angular, linear] in child axes; spherical q = [w,x,y,z], v in child "
                   "axes; a = dv/dt, component by component (spatial acceleration of a free body)",
    "fields": "inverse_dynamics: forces for q, v, a; forward_dynamics: accelerations for q, v, tau; mass_matrix: lower "
              "triangle by rows, in the order of dofs; momentum about the centre of mass, world axes; potential_energy is "
              "zero at z = 0; orientation = [w,x,y,z], w >= 0",
    "left_out": "damping, springs, limits, armature",
    "gravity": [0.0, 0.0, -9.81],
}


def as_lines(fields):
    return ",\n".join(f"   {json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items())


def main():
    assert pin.__version__ == VERSION, f"expected pin=={VERSION}, found {pin.__version__}"
    OUT.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        figure = Figure((FIGURES / f"{name}.toml").read_text())
        figure.model.gravity.linear = np.array(NOTES["gravity"])
        rng = random.Random(f"anthropi {name}")
        mass = float(pin.computeTotalMass(figure.model))
        head = NOTES | {"figure": name, "mass": mass, "dofs": figure.dofs()}
        lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
        states = [as_lines(state(rng, figure)) for _ in range(STATES)]
        lines.append(' "states": [\n  {\n' + "\n  },\n  {\n".join(states) + "\n  }\n ]")
        path = OUT / f"{name}.json"
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        print(f"{path.relative_to(ROOT)}: {figure.model.nv} degrees of freedom, {mass:.6f} kg")


if __name__ == "__main__":
    main()
