"""Plots of motions, certificates and records with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from anthropi import Certificate, Clip, Record

# Most curves in a plot.
CURVES = 8


def _axes(rows: int, title: str) -> tuple[Any, Any]:
    """A figure with axes in a column, sharing the time axis."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'anthropi[plot]'") from error
    figure = Figure(figsize=(8, 2.4 * rows), layout="constrained")
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    figure.suptitle(title)
    axes[-1].set_xlabel("time, s")
    return figure, axes


def clip(shown: Clip) -> Any:
    """Hinge angles with the largest range, and the height of the centre of mass."""
    figure, (joints, height) = _axes(2, shown.name)
    body, times, q = shown.figure, shown.times, shown.q
    hinges = [j for j in body.joints if body.places(j)[0][1] - body.places(j)[0][0] == 1]
    moves = sorted(hinges, key=lambda j: -float(np.ptp(q[:, body.places(j)[0][0]])))
    for joint in moves[:CURVES]:
        joints.plot(times, np.rad2deg(q[:, body.places(joint)[0][0]]), label=joint)
    if moves:
        joints.legend(fontsize="small", ncols=2)
    joints.set_ylabel("angle, deg")
    height.plot(times, [body.center_of_mass(pose)[2] for pose in q])
    height.set_ylabel("centre of mass, m")
    return figure


def certificate(shown: Certificate) -> Any:
    """Residual force, ground reaction force, and the largest torques."""
    result = shown.to_dict()
    figure, (residual, ground, torque) = _axes(3, f"{result['name']}: {result['verdict']}")
    times, tau, dofs = shown.times, shown.tau, shown.dofs
    residual.plot(times, np.linalg.norm(shown.residual[:, 3:], axis=1))
    residual.set_ylabel("residual force, N")
    for axis, values in zip("xyz", shown.ground_force.T):
        ground.plot(times, values, label=axis)
    ground.legend(fontsize="small")
    ground.set_ylabel("ground reaction force, N")
    for k in np.argsort(-np.abs(tau).max(axis=0))[:CURVES]:
        torque.plot(times, tau[:, k], label=dofs[k])
    torque.legend(fontsize="small", ncols=2)
    torque.set_ylabel("torque, N m")
    for finding in result["findings"]:
        residual.axvspan(finding["from_s"], finding["to_s"], color="tab:red", alpha=0.15)
    return figure


def record(shown: Record) -> Any:
    """Energies."""
    figure, (energy,) = _axes(1, "energy")
    for name, values in zip(["kinetic", "potential", "springs", "total"], shown.energy.T):
        energy.plot(shown.times, values, label=name)
    energy.legend(fontsize="small")
    energy.set_ylabel("J")
    return figure
