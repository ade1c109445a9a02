#!/usr/bin/env python3
"""Writes the figures of the benchmark: gen_models.py OUT_DIR

One definition per figure, three spellings of it, so that every engine computes the same thing:
  NAME.json        for us
  NAME.txt         flat, for the Pinocchio bench (model.hpp reads it)
  NAME.xml         MJCF, no geometry: nothing can touch (not of the longest chains)
  NAME_stand.xml   MJCF with floor and feet, joints held by springs (human figures only)

At the zero configuration all frames are parallel to the world, z up; SI units.
"""
import json
import sys
from pathlib import Path

DOF = {"free": 6, "spherical": 3, "universal": 2, "revolute": 1}
AXIS = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
CHAINS = (8, 16, 32, 64, 128, 256, 512, 1024)
PEER_LINKS = 256  # longer chains are for us alone: MuJoCo's time and Pinocchio's memory (34 GB at 1024) grow too fast

FOOT_LENGTH, FOOT_WIDTH, FOOT_THICK = 0.19, 0.12, 0.04
SOLE_X, SOLE_Z = 0.035, -0.07  # centre of the sole, seen from the ankle
HIP_Z, THIGH, SHANK = -0.05, 0.42, 0.40
STAND_Z = -(HIP_Z - THIGH - SHANK + SOLE_Z)  # height of the pelvis when standing at q = 0


def body(name, parent, joint, pos, mass, com, inertia, axes=(), geoms=()):
    """inertia: diagonal, about the centre of mass; pos: joint origin seen from the parent."""
    return dict(name=name, parent=parent, joint=dict(type=joint, axes=list(axes)), pos=list(pos),
                mass=mass, com=list(com), inertia=list(inertia), geoms=list(geoms))


def human(name, all_spherical):
    """13 links. human28: anatomical joints, 34 dof with the base. human42: every joint spherical, 42 dof."""
    def joint(*axes):
        if all_spherical:
            return dict(joint="spherical")
        return dict(joint="universal" if len(axes) == 2 else "revolute", axes=axes)

    ball = dict(joint="spherical")
    foot = dict(type="box", pos=[SOLE_X, 0.0, SOLE_Z + FOOT_THICK / 2],
                half=[FOOT_LENGTH / 2, FOOT_WIDTH / 2, FOOT_THICK / 2])
    b = []

    def add(name, parent, pos, mass, com, inertia, joint, geoms=()):
        b.append(body(name, parent, pos=pos, mass=mass, com=com, inertia=inertia, geoms=geoms, **joint))

    add("Body", None, (0, 0, STAND_Z), 15.0, (0, 0, .02), (.4, .2, .4), dict(joint="free"))
    add("UpperBody", "Body", (0, 0, .10), 16.0, (0, 0, .20), (.8, .4, .8), ball)
    add("Head", "UpperBody", (0, 0, .42), 4.0, (0, 0, .12), (.1, .1, .1), ball)
    for s, y in (("L", 1), ("R", -1)):
        add(s + "UpperArm", "UpperBody", (0, y * .19, .36), 4.0, (0, 0, -.13), (.1, .2, .2), ball)
        # elbow: flexion, forearm twist
        add(s + "LowerArm", s + "UpperArm", (0, 0, -.28), 2.0, (0, 0, -.12), (.1, .2, .2), joint("y", "z"))
    for s, y in (("L", 1), ("R", -1)):
        add(s + "UpperLeg", "Body", (0, y * .09, HIP_Z), 5.0, (0, 0, -.19), (.1, .2, .2), ball)
        add(s + "LowerLeg", s + "UpperLeg", (0, 0, -THIGH), 4.0, (0, 0, -.18), (.1, .2, .2), joint("y"))
        # ankle: pitch, roll
        add(s + "Foot", s + "LowerLeg", (0, 0, -SHANK), 2.0, (.03, 0, -.04), (.02, .02, .02), joint("y", "x"), [foot])
    return dict(name=name, bodies=b, loops=[], feet=["LFoot", "RFoot"],
                sole=dict(center=[SOLE_X, 0.0, SOLE_Z], half=[FOOT_LENGTH / 2, FOOT_WIDTH / 2]))


def swing(name):
    """A figure on a swing, 34 dof: the tree hangs from the left rope; the right hand on the bar and the right
    rope at the ceiling close two loops, 6 rows each. The end links that are welded there have a little mass,
    because the peers need a positive definite mass matrix."""
    b = []

    def add(name, parent, joint, pos, mass, com, inertia):
        b.append(body(name, parent, joint, pos, mass, com, inertia, axes=["y"] if joint == "revolute" else ()))

    S, R = "spherical", "revolute"
    add("RopeL", None, S, (0, .25, 2.5), .5, (0, 0, -.5), (.042, .042, .001))
    add("Bar", "RopeL", S, (0, 0, -1.0), 2.0, (0, -.25, 0), (.06, .002, .06))
    add("LLowerArm", "Bar", S, (0, -.06, 0), 2.0, (0, 0, -.15), (.1, .2, .2))
    add("LUpperArm", "LLowerArm", R, (0, 0, -.27), 4.0, (0, 0, -.15), (.1, .2, .2))
    add("Torso", "LUpperArm", S, (0, 0, -.28), 35.0, (0, -.19, -.20), (1.6, 1.0, 1.2))
    add("RUpperArm", "Torso", S, (0, -.38, 0), 4.0, (0, 0, .13), (.1, .2, .2))
    add("RLowerArm", "RUpperArm", R, (0, 0, .28), 2.0, (0, 0, .12), (.1, .2, .2))
    add("RHand", "RLowerArm", S, (0, 0, .27), .2, (0, 0, 0), (1e-3, 1e-3, 1e-3))
    for s, y in (("L", -.10), ("R", -.28)):
        add(s + "UpperLeg", "Torso", S, (0, y, -.51), 5.0, (0, 0, -.19), (.1, .2, .2))
        add(s + "LowerLeg", s + "UpperLeg", R, (0, 0, -.42), 6.0, (0, 0, -.22), (.12, .22, .22))
    add("RopeR", "Bar", S, (0, -.50, 0), .5, (0, 0, .5), (.042, .042, .001))
    add("AnchorR", "RopeR", S, (0, 0, 1.0), .2, (0, 0, 0), (1e-3, 1e-3, 1e-3))
    loops = [dict(type="weld", body1="RHand", pos1=[0, 0, 0], body2="Bar", pos2=[0, -.44, 0]),
             dict(type="weld", body1="AnchorR", pos1=[0, 0, 0], body2=None, pos2=[0, -.25, 2.5])]
    return dict(name=name, bodies=b, loops=loops, feet=[])


def chain(n):
    """n equal links on hinges about y and x in turn: shows how the cost grows with depth."""
    b = [body(f"l{i}", f"l{i - 1}" if i else None, "revolute", (0, 0, -.2 if i else 0), 1.0, (0, 0, -.1),
              (.0035, .0035, .0004), axes="yx"[i % 2]) for i in range(n)]
    return dict(name=f"chain{n}", bodies=b, loops=[], feet=[])


def numbers(v):
    return " ".join(f"{x:.12g}" for x in v)


def mjcf(m, stand=False):
    """MJCF; `stand` adds the floor, the boxes of the feet, and springs that hold the pose."""
    o = [f'<mujoco model="{m["name"]}">', '  <compiler angle="radian" inertiafromgeom="false"/>',
         '  <option timestep="0.001" gravity="0 0 -9.81" cone="pyramidal"/>', '  <worldbody>']
    friction = 'friction="0.8 0.005 0.0001"'
    spring = ' stiffness="2000" damping="60"' if stand else ''
    if stand:
        o.append(f'    <geom type="plane" size="0 0 1" {friction}/>')
    children = {}
    for b in m["bodies"]:
        children.setdefault(b["parent"], []).append(b)

    def write(b, indent):
        s, name, kind = " " * indent, b["name"], b["joint"]["type"]
        o.append(f'{s}<body name="{name}" pos="{numbers(b["pos"])}">')
        o.append(f'{s}  <inertial pos="{numbers(b["com"])}" mass="{b["mass"]}" diaginertia="{numbers(b["inertia"])}"/>')
        if kind == "free":
            o.append(f'{s}  <freejoint/>')
        elif kind == "spherical":
            o.append(f'{s}  <joint type="ball"{spring}/>')
        for a in b["joint"]["axes"]:
            o.append(f'{s}  <joint type="hinge" axis="{AXIS[a]}"{spring}/>')
        for g in b["geoms"] if stand else ():
            o.append(f'{s}  <geom type="box" pos="{numbers(g["pos"])}" size="{numbers(g["half"])}" {friction}/>')
        for c in children.get(name, ()):
            write(c, indent + 2)
        o.append(f'{s}</body>')

    for b in children[None]:
        write(b, 4)
    o.append('  </worldbody>')
    if m["loops"]:
        o.append('  <equality>')
        for l in m["loops"]:  # without relpose: closed at the zero configuration
            other = f' body2="{l["body2"]}"' if l["body2"] else ''
            o.append(f'    <weld body1="{l["body1"]}"{other} anchor="{numbers(l["pos2"])}"/>')
        o.append('  </equality>')
    return "\n".join(o + ['</mujoco>', ''])


def flat(m):
    """Counts, then one line per body, loop and foot; bodies by index, -1 is the world."""
    index = {b["name"]: i for i, b in enumerate(m["bodies"])} | {None: -1}
    o = [f'{m["name"]} {len(m["bodies"])} {len(m["loops"])} {len(m["feet"])}']
    for b in m["bodies"]:
        o.append(f'{b["name"]} {index[b["parent"]]} {b["joint"]["type"]} {"".join(b["joint"]["axes"]) or "-"} '
                 f'{numbers(b["pos"])} {b["mass"]} {numbers(b["com"])} {numbers(b["inertia"])}')
    for l in m["loops"]:
        o.append(f'{index[l["body1"]]} {numbers(l["pos1"])} {index[l["body2"]]} {numbers(l["pos2"])}')
    for foot in m["feet"]:
        o.append(f'{index[foot]} {numbers(m["sole"]["center"])}')
    return "\n".join(o) + "\n"


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    for m in [human("human28", False), human("human42", True), swing("swing34")] + [chain(n) for n in CHAINS]:
        files = {".json": json.dumps(m, indent=1), ".txt": flat(m)}
        if len(m["bodies"]) <= PEER_LINKS:
            files[".xml"] = mjcf(m)
        if m["feet"]:
            files["_stand.xml"] = mjcf(m, stand=True)
        for suffix, text in files.items():
            (out / (m["name"] + suffix)).write_text(text)
        dof = sum(DOF[b["joint"]["type"]] for b in m["bodies"])
        print(f'{m["name"]}: {len(m["bodies"])} bodies, {dof} dof, {sum(b["mass"] for b in m["bodies"]):g} kg')


if __name__ == "__main__":
    main(Path(sys.argv[1]))
