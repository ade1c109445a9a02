"""Types of arguments and results. The dictionaries have the fields of the command line's JSON."""

from __future__ import annotations

import pathlib
from os import PathLike
from typing import Literal, TypedDict

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Numbers = npt.ArrayLike
Path = str | PathLike[str]

# A clip of a data set: name in the table, path, size in bytes, name of its output.
ClipEntry = tuple[str, pathlib.Path, int, str]

Verdict = Literal["consistent", "not consistent"]


class Closure(TypedDict):
    """Loops of a figure: ``Figure.closure``."""

    rank: int
    free: int
    generalized: list[str]
    dependent: list[str]
    actuated: list[str]
    H: Array
    W: Array
    S: Array


class Actuation(TypedDict):
    """Torques of actuated coordinates: ``Figure.closed_inverse_dynamics``."""

    actuated: list[str]
    tau: Array
    missing: float
    connection_forces: dict[str, Array]


class Energy(TypedDict):
    """Energy of a figure, J."""

    kinetic: float
    potential: float
    spring: float
    total: float


class Contact(TypedDict):
    """A contact of a simulation."""

    link: str
    on: str
    force: Array
    center: Array | None


class FigureSummary(TypedDict):
    """The figure that moves."""

    name: str
    mass_kg: float
    stature_m: float | None
    links: int
    dof: int


class RootResidual(TypedDict):
    """Force and moment about the centre of mass that no contact can supply."""

    force_rms_N: float
    force_peak_N: float
    moment_rms_Nm: float
    moment_peak_Nm: float
    force_rms_bw: float


class ContactSummary(TypedDict):
    """Contact with the ground, in frames."""

    frames: int
    normal_violations: int
    friction_violations: int
    cop_outside: int
    unsupported: int
    penetration_max_m: float
    skate_mean_m_per_s: float


class GroundReaction(TypedDict):
    """Ground reaction force, body weights."""

    peak_bw: float


class JointPeak(TypedDict):
    """A peak value with its joint and frame."""

    value: float
    joint: str
    frame: int


class CutoffResult(TypedDict):
    """Low-pass before derivatives."""

    hz: float | None
    why: str


class GroundResult(TypedDict):
    """The ground."""

    height_m: float
    slope: list[float]
    spread_m: float
    even: bool
    velocity_m_per_s: list[float]


class FindingResult(TypedDict):
    """A fault of a motion."""

    fault: str
    from_s: float
    to_s: float
    frames: list[int]
    worst_frame: int
    size: float
    unit: str
    severity: float
    what: str


class Lamp(TypedDict):
    """A lamp with its reason."""

    state: Literal["green", "amber", "red"]
    reason: str


class Lamps(TypedDict):
    """Whether a result is physical, faithful to the motion as given, and certain; certificates have no ``faithful``."""

    physical: Lamp
    faithful: Lamp | None
    certain: Lamp


class UncertaintyResult(TypedDict):
    """Limits widened by what is uncertain, and the faults that it explains."""

    sole_m: float
    moment_limit_Nm: float
    explained: list[FindingResult]


class PropUseResult(TypedDict):
    """An interval in which a prop carries."""

    from_s: float
    to_s: float
    mean_bw: float
    peak_bw: float


class PropResult(TypedDict):
    """A seat, step or rail."""

    kind: Literal["seat", "step", "rail"]
    height_m: float
    at_m: list[float]
    heading_deg: float
    size_m: list[float]
    mean_bw: float
    peak_bw: float
    uses: list[PropUseResult]
    given: bool
    what: str


class CertificateResult(TypedDict):
    """Result of ``certify``: ``Certificate.to_dict``."""

    name: str
    frames: int
    fps: float
    duration_s: float
    figure: FigureSummary
    root_residual: RootResidual
    contact: ContactSummary
    grf: GroundReaction
    torque_peak_Nm: float
    power_peak_W: float
    torque_peak: JointPeak
    power_peak: JointPeak
    judged_frames: list[int]
    cutoff: CutoffResult
    ground: GroundResult
    props: list[PropResult]
    touches: dict[str, list[list[int]]]
    findings: list[FindingResult]
    notes: list[str]
    verdict: Verdict
    lamps: Lamps
    uncertainty: UncertaintyResult


class ForceContactSummary(TypedDict):
    """Contact of a filtered motion, in internal steps."""

    frames: int
    normal_violations: int
    friction_violations: int
    cop_outside: int
    torque_violations: int
    penetration_max_m: float
    skate_mean_m_per_s: float


class StepGroundReaction(TypedDict):
    """Ground reaction force of a filtered motion, body weights."""

    peak_bw: float
    step_peak_bw: float


class ForceCertificate(TypedDict):
    """Certificate of a filtered motion by the filter's own forces: ``Walk.certificate``."""

    steps: int
    root_residual: RootResidual
    contact: ForceContactSummary
    grf: StepGroundReaction
    torque_peak_Nm: float
    power_peak_W: float
    verdict: Verdict


class MeasuredGait(TypedDict):
    """Measures over the steady steps of a walk: ``Walk.measured``."""

    speed: float
    step_length: float
    step_frequency: float
    double_support: float
    flight: float
    steps: int


class Tracking(TypedDict):
    """Distance between filtered and input motion."""

    joint_rms_deg: float
    joint_max_deg: float
    root_rms_m: float
    link_rms_m: float


class ProtocolResult(TypedDict):
    """Distance between filtered and input motion by the protocol of learned motion trackers."""

    success: bool
    max_m: float
    g_mpjpe_mm: float
    e_vel_mm: float | None
    e_acc_mm: float | None


class DeviationResult(TypedDict):
    """Change of the motion as given, as the faithful lamp weighs it: ``[given, filtered]``."""

    held_m: float
    joint_deg: float
    joint: str
    joint_at_s: float
    jerk: list[float | None]
    power_W_per_kg: list[float | None]


class Jitter(TypedDict):
    """RMS joint jerk until the first fall, rad/s^3."""

    input: float | None
    output: float | None


class FrameTime(TypedDict):
    """Quantiles of the wall time per frame, us."""

    p50: float | None
    p99: float | None


class SolverSummary(TypedDict):
    """Solver statistics over all internal steps."""

    fallbacks: int
    infeasible: int
    at_strength: int
    newton_per_step: float
    driven: int


class AssistIntervalResult(TypedDict):
    """An interval with assistance, s from the first frame."""

    from_s: float
    to_s: float
    peak_bw: float


class AssistResult(TypedDict):
    """External forces that kept the figure from falling; zeros and no intervals if none acts."""

    peak_bw: float
    peak_moment_bw_m: float
    fraction: float
    intervals: list[AssistIntervalResult]


class FilterResult(TypedDict):
    """Result of ``filter``: ``Filtered.to_dict``."""

    name: str
    frames: int
    fps: float
    duration_s: float
    mode: Literal["online", "offline"]
    fell: bool
    fell_at_s: float | None
    falls: int
    speed: float
    assist: AssistResult
    props: list[PropResult]
    tracking: Tracking
    protocol: ProtocolResult
    input: CertificateResult
    output: ForceCertificate
    output_from_motion: CertificateResult | None
    jitter: Jitter
    time_per_frame_us: FrameTime
    realtime_factor: float
    delay_frames: int
    solver: SolverSummary
    notes: list[str]
    deviation: DeviationResult
    lamps: Lamps
