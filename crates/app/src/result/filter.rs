//! Filtered motions.

use super::{CertificateResult, ForceCertificate, PropResult};
use crate::assessment::{Assessment, FilterOutcome};
use crate::filter_scene::MODES;
use anthropi_motion::deviation::{Change, Deviation};
use anthropi_motion::filter::{AssistInterval, AssistReport, Mode};
use anthropi_motion::lamps::Lamps;
use anthropi_motion::note;
use serde::Serialize;

/// Result of `filter`.
#[derive(Clone, Debug, Serialize)]
pub struct FilterResult {
    /// name of the clip
    pub name: String,
    /// number of frames
    pub frames: usize,
    /// frames per second
    pub fps: f64,
    /// first to last frame, s
    pub duration_s: f64,
    /// `online` or `offline`
    pub mode: &'static str,
    /// whether the figure fell
    pub fell: bool,
    /// time of the first fall, s
    pub fell_at_s: Option<f64>,
    /// number of falls
    pub falls: usize,
    /// playback speed relative to the motion as given; 0.5 if it was filtered at half its speed
    pub speed: f64,
    /// external forces that kept the figure from falling
    pub assist: AssistResult,
    /// props that carry besides the ground, with the loads of the filtered motion
    pub props: Vec<PropResult>,
    /// distance from the input motion
    pub tracking: Tracking,
    /// distance from the input motion, as learned motion trackers report it
    pub protocol: ProtocolResult,
    /// certificate of the input
    pub input: CertificateResult,
    /// certificate of the output by the filter's own forces
    pub output: ForceCertificate,
    /// certificate of the output, forces re-estimated from kinematics
    pub output_from_motion: Option<CertificateResult>,
    /// roughness
    pub jitter: Jitter,
    /// wall time per frame, us
    pub time_per_frame_us: FrameTime,
    /// seconds of motion per second of wall time
    pub realtime_factor: f64,
    /// frames by which the output lags
    pub delay_frames: usize,
    /// solver statistics
    pub solver: SolverSummary,
    /// notes and warnings
    pub notes: Vec<String>,
    /// change of the motion as given, as the faithful lamp weighs it
    pub deviation: DeviationResult,
    /// the lamps
    pub lamps: Lamps,
}

/// Change of the motion as given.
#[derive(Clone, Debug, Serialize)]
pub struct DeviationResult {
    /// joint error that lasts for half a second, m
    pub held_m: f64,
    /// rotation of a joint away from the given one that lasts for 0.1 s, degrees
    pub joint_deg: f64,
    /// this joint
    pub joint: String,
    /// when, s
    pub joint_at_s: f64,
    /// RMS joint jerk, rad/s^3, of the given motion (at the filtered speed) and of the filtered one
    pub jerk: [Option<f64>; 2],
    /// largest joint power, W per kg of body mass, of the given motion and of the filtered one
    #[serde(rename = "power_W_per_kg")]
    pub power: [Option<f64>; 2],
}

impl From<Deviation> for DeviationResult {
    fn from(deviation: Deviation) -> DeviationResult {
        let both = |change: Change| [change.given, change.filtered];
        DeviationResult {
            held_m: deviation.distance.held_m,
            joint_deg: deviation.joint.angle.to_degrees(),
            joint: deviation.joint.joint,
            joint_at_s: deviation.joint.time,
            jerk: both(deviation.jerk),
            power: both(deviation.power),
        }
    }
}

/// Assistance: a bounded external wrench on the whole body; zeros and no intervals if none acts.
#[derive(Clone, Debug, Serialize)]
pub struct AssistResult {
    /// largest force, body weights
    pub peak_bw: f64,
    /// largest moment about the centre of mass, body weights times metres
    pub peak_moment_bw_m: f64,
    /// part of the frames in which it acts
    pub fraction: f64,
    /// when it acts
    pub intervals: Vec<AssistIntervalResult>,
}

/// An interval with assistance.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct AssistIntervalResult {
    /// start, s from the first frame
    pub from_s: f64,
    /// end, s from the first frame
    pub to_s: f64,
    /// largest force, body weights
    pub peak_bw: f64,
}

impl From<AssistReport> for AssistResult {
    fn from(report: AssistReport) -> AssistResult {
        let interval =
            |i: &AssistInterval| AssistIntervalResult { from_s: i.from, to_s: i.to, peak_bw: i.peak_bw };
        AssistResult {
            peak_bw: report.peak_bw,
            peak_moment_bw_m: report.peak_moment_bw_m,
            fraction: report.fraction,
            intervals: report.intervals.iter().map(interval).collect(),
        }
    }
}

/// Distance between filtered and input motion.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Tracking {
    /// RMS over joint coordinates, degrees
    pub joint_rms_deg: f64,
    /// maximum over joint coordinates, degrees
    pub joint_max_deg: f64,
    /// RMS of the root position, m
    pub root_rms_m: f64,
    /// RMS of the link positions, m
    pub link_rms_m: f64,
}

/// Distance between filtered and input motion by the protocol of learned motion trackers, over all frames but the first
/// of the file.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ProtocolResult {
    /// whether the figure did not fall and no joint error exceeds 0.5 m
    pub success: bool,
    /// largest joint error of a frame (mean over the joints), m
    pub max_m: f64,
    /// global mean per-joint position error, mm
    pub g_mpjpe_mm: f64,
    /// velocity error, mm per frame at 30 frames per second; `None` for motions that are too short
    pub e_vel_mm: Option<f64>,
    /// acceleration error, mm per frame squared at 30 frames per second; `None` for motions that are too short
    pub e_acc_mm: Option<f64>,
}

/// RMS joint jerk until the first fall, rad/s^3; `None` with too few frames.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Jitter {
    /// of the input
    pub input: Option<f64>,
    /// of the output
    pub output: Option<f64>,
}

/// Quantiles of the wall time per frame, us; `None` for a single frame.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FrameTime {
    /// median
    pub p50: Option<f64>,
    /// 99th percentile
    pub p99: Option<f64>,
}

/// Solver statistics over all internal steps.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SolverSummary {
    /// steps solved by the fallback
    pub fallbacks: usize,
    /// steps without a feasible solution
    pub infeasible: usize,
    /// steps with a torque at the joint's strength
    pub at_strength: usize,
    /// Newton iterations per step
    pub newton_per_step: f64,
    /// steps in which the root was driven
    pub driven: usize,
}

impl FilterResult {
    /// The result of a filter run.
    pub fn new(outcome: &FilterOutcome) -> FilterResult {
        let filtered = &outcome.filtered;
        let (clip, tracking, audit) = (&filtered.clip, &filtered.tracking, &filtered.audit);
        FilterResult {
            name: clip.name.clone(),
            frames: clip.frames(),
            fps: 1.0 / clip.dt(),
            duration_s: clip.duration(),
            mode: mode_name(outcome.mode),
            fell: filtered.fell.is_some(),
            fell_at_s: filtered.fell,
            falls: filtered.falls,
            speed: outcome.speed(),
            assist: filtered.assist_report().into(),
            props: PropResult::all(&filtered.props, clip),
            tracking: Tracking {
                joint_rms_deg: tracking.joint_rms_deg,
                joint_max_deg: tracking.joint_max_deg,
                root_rms_m: tracking.root_rms_m,
                link_rms_m: tracking.link_rms_m,
            },
            protocol: ProtocolResult {
                success: outcome.is_tracked(),
                max_m: outcome.protocol.max_m,
                g_mpjpe_mm: outcome.protocol.g_mpjpe_mm,
                e_vel_mm: outcome.protocol.e_vel_mm,
                e_acc_mm: outcome.protocol.e_acc_mm,
            },
            input: outcome.input.result(),
            output: ForceCertificate::new(filtered),
            output_from_motion: outcome.from_motion.as_ref().map(Assessment::result),
            jitter: Jitter { input: outcome.jitter[0], output: outcome.jitter[1] },
            time_per_frame_us: FrameTime {
                p50: outcome.clock.quantile(0.5),
                p99: outcome.clock.quantile(0.99),
            },
            realtime_factor: outcome.realtime_factor(),
            delay_frames: filtered.delay,
            solver: SolverSummary {
                fallbacks: audit.fallbacks,
                infeasible: audit.infeasible,
                at_strength: audit.at_strength,
                newton_per_step: audit.newton as f64 / audit.steps.max(1) as f64,
                driven: audit.driven,
            },
            notes: note::texts(&outcome.notes),
            deviation: outcome.deviation().into(),
            lamps: outcome.lamps(),
        }
    }
}

/// The word for a mode of the filter.
pub fn mode_name(mode: Mode) -> &'static str {
    MODES[usize::from(mode == Mode::Offline)].0
}
