#!/usr/bin/env python3
"""Checks a record of the filter or a walk with MuJoCo: record.py DIR (written by --record DIR; needs mujoco, numpy)

Each internal step has q, v, a and contact forces. MuJoCo's inverse dynamics of q, v, a minus these forces gives the joint
torques and, at the root, the residual, which must vanish. Prints the largest residual force and moment.
"""
import csv
import pathlib
import sys

import mujoco
import numpy as np

WIDTH = {mujoco.mjtJoint.mjJNT_FREE: (7, 6), mujoco.mjtJoint.mjJNT_BALL: (4, 3)}
EVERY = 10  # steps


def numbers(row, kind, joint, count):
    names = [f"{kind}:{joint}"] if count == 1 else [f"{kind}:{joint}.{k}" for k in range(count)]
    return np.array([float(row[name]) for name in names])


def set_state(model, data, row):
    """q, v and a in MuJoCo's convention: linear velocity and acceleration of the free root in world axes."""
    for j in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
        nq, nv = WIDTH.get(mujoco.mjtJoint(model.jnt_type[j]), (1, 1))
        iq, iv = model.jnt_qposadr[j], model.jnt_dofadr[j]
        data.qpos[iq : iq + nq] = numbers(row, "q", name, nq)
        v, a = numbers(row, "v", name, nv), numbers(row, "a", name, nv)
        if nv == 6:
            turn = np.zeros(9)
            mujoco.mju_quat2Mat(turn, data.qpos[iq + 3 : iq + 7])
            turn = turn.reshape(3, 3)
            v, a = (np.concatenate([turn @ v[3:], v[:3]]),
                    np.concatenate([turn @ (a[3:] + np.cross(v[:3], v[3:])), a[:3]]))
        data.qvel[iv : iv + nv], data.qacc[iv : iv + nv] = v, a


def main(folder):
    model = mujoco.MjModel.from_xml_path(str(folder / "figure.xml"))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    pushes = {}
    for push in csv.DictReader((folder / "contacts.csv").open()):
        pushes.setdefault(push["t"], []).append(push)
    force = moment = 0.0
    for row in list(csv.DictReader((folder / "states.csv").open()))[::EVERY]:
        set_state(model, data, row)
        wanted = data.qacc.copy()
        mujoco.mj_forward(model, data)
        data.qacc[:] = wanted
        mujoco.mj_inverse(model, data)
        left = data.qfrc_inverse.copy()
        for push in pushes.get(row["t"], []):
            f, n, p = (np.array([float(push[k + x]) for x in "xyz"]) for k in "fnp")
            body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, push["link"])
            given = np.zeros(model.nv)
            mujoco.mj_applyFT(model, data, f, n, p, body, given)
            left -= given
        force, moment = max(force, np.abs(left[:3]).max()), max(moment, np.abs(left[3:6]).max())
    print(f"residual at the root: {force:.0e} N, {moment:.0e} N m")
    return 0 if max(force, moment) < 1e-9 else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
