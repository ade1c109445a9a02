//! Walks.

use super::{ForceCertificate, as_map};
use crate::report::walk::{Compared, Report, compared, is_comparable};
use crate::walk::{SegmentRequest, StairsRequest, gait_word};
use anthropi_motion::gait::MeasuredJump;
use anthropi_motion::gait::determinant::Determinants;
use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::measure::Range;
use anthropi_motion::gait::normative::Deviation;
use anthropi_motion::gait::parameter::{Kind, PaceRequest};
use anthropi_motion::gait::terrain::Terrain;
use anthropi_motion::note;
use anthropi_motion::papers::hidds::{Refined, RunReport};
use anthropi_motion::papers::virtual_leg::{Difference, VirtualLegRun};
use serde::Serialize;

/// Result of `walk`.
#[derive(Clone, Debug, Serialize)]
pub struct WalkSummary {
    /// name of the walk
    pub name: String,
    /// name of the figure
    pub figure: String,
    /// mass of the figure with its load
    pub mass_kg: f64,
    /// mass of the load
    pub load_kg: f64,
    /// body height
    pub height_m: f64,
    /// whether the figure fell
    pub fell: bool,
    /// time of the fall
    pub fell_at_s: Option<f64>,
    /// speed over steady steps, m/s
    pub speed: f64,
    /// step length, m
    pub step_length: f64,
    /// steps per second
    pub step_frequency: f64,
    /// double support, fraction of the cycle
    pub double_support_fraction: f64,
    /// flight, fraction of the cycle
    pub flight_fraction: f64,
    /// all steps
    pub steps: usize,
    /// steady steps
    pub steady_steps: usize,
    /// first to last frame
    pub duration_s: f64,
    /// number of frames
    pub frames: usize,
    /// frames per second
    pub fps: f64,
    /// requested segments
    pub requested: RequestedSegments,
    /// ranges of the six determinants, degrees (lateral: m)
    #[serde(serialize_with = "as_map")]
    pub determinants: Vec<(&'static str, Range)>,
    /// vertical excursion of the centre of mass
    pub vertical_m: f64,
    /// highest speed of a sole at landing
    pub landing_speed_m_per_s: f64,
    /// farthest slip of a foot in stance
    pub slip_max_m: f64,
    /// ground reaction force
    pub ground_force: GroundForceSummary,
    /// certificate by the controller's own forces
    pub certificate: ForceCertificate,
    /// solver statistics
    pub solver: WalkSolverSummary,
    /// seconds of motion per second of wall time
    pub realtime_factor: f64,
    /// notes and warnings
    pub notes: Vec<String>,
    /// joint angles against normative data, where the walk is comparable
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<Named<Deviation>>,
    /// one steady step in detail, on request
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_step: Option<StepSummary>,
    /// the jumps, if any
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jumps: Vec<MeasuredJump>,
    /// height of the highest jump, m
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jump_height: Option<f64>,
    /// comparison with the neutral walk, for a walk in another style
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared_with_neutral: Option<Named<Compared>>,
}

impl WalkSummary {
    /// The result of a walk.
    pub fn new(report: &Report) -> WalkSummary {
        let (walk, walked, m) = (report.walk, &report.walked, &report.walked.measured);
        let (clip, audit) = (&walked.filtered.clip, &walked.filtered.audit);
        let deviations = || Named(walked.deviations().into_iter().map(|d| (d.name, d)).collect());
        WalkSummary {
            name: walk.walk.name.clone(),
            figure: walk.figure.name.clone(),
            mass_kg: walk.figure.mass(),
            load_kg: walk.load,
            height_m: walk.stature.height,
            fell: walked.fell().is_some(),
            fell_at_s: walked.fell(),
            speed: m.speed,
            step_length: m.length,
            step_frequency: m.frequency,
            double_support_fraction: m.double_support,
            flight_fraction: m.flight,
            steps: walked.steps.steps.len(),
            steady_steps: walked.steps.steps.iter().filter(|s| s.is_steady).count(),
            duration_s: clip.duration(),
            frames: clip.frames(),
            fps: 1.0 / clip.dt(),
            requested: RequestedSegments::new(&walk.walk.requests, &walk.segments),
            determinants: m.determinants.clone(),
            vertical_m: m.vertical,
            landing_speed_m_per_s: m.landing,
            slip_max_m: m.slip,
            ground_force: GroundForceSummary {
                vertical_min_bw: m.load.min,
                vertical_max_bw: m.load.max,
                fore_aft_min_bw: m.along.min,
                fore_aft_max_bw: m.along.max,
                friction_used: m.friction,
                friction: walk.settings.friction,
            },
            certificate: ForceCertificate::new(&walked.filtered),
            solver: WalkSolverSummary {
                fallbacks: audit.fallbacks,
                infeasible: audit.infeasible,
                at_strength: audit.at_strength,
            },
            realtime_factor: report.realtime_factor,
            notes: note::texts(&report.notes),
            people: is_comparable(walk).then(deviations),
            one_step: report.step.as_ref().map(StepSummary::new),
            jumps: m.jumps.clone(),
            jump_height: m.jumps.iter().map(|j| j.height).reduce(f64::max).map(|h| h.max(0.0)),
            compared_with_neutral: report
                .neutral
                .as_ref()
                .map(|neutral| Named(compared(m, neutral).into_iter().map(|c| (c.key, c)).collect())),
        }
    }
}

/// Named entries, serialised as a map.
#[derive(Clone, Debug, Serialize)]
pub struct Named<T: Serialize>(#[serde(serialize_with = "as_map")] pub Vec<(&'static str, T)>);

/// One requested segment, or several.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum RequestedSegments {
    /// a walk of one segment
    One(Box<SegmentSummary>),
    /// a walk of several segments
    Several {
        /// in order
        stretches: Vec<SegmentSummary>,
    },
}

impl RequestedSegments {
    fn new(requests: &[SegmentRequest], segments: &[Segment]) -> RequestedSegments {
        let mut stretches = SegmentSummary::all(requests, segments);
        match stretches.len() {
            1 => RequestedSegments::One(Box::new(stretches.remove(0))),
            _ => RequestedSegments::Several { stretches },
        }
    }
}

/// A segment as requested and planned.
#[derive(Clone, Debug, Serialize)]
pub struct SegmentSummary {
    /// requested values
    pub given: PaceRequest,
    /// planned speed, m/s
    pub speed: f64,
    /// planned step length, m
    pub step_length: f64,
    /// planned steps per second
    pub step_frequency: f64,
    /// planned double support, fraction of the cycle
    pub double_support_fraction: f64,
    /// planned flight, fraction of the cycle
    pub flight_fraction: f64,
    /// `walk`, `run` or `jump`
    pub gait: &'static str,
    /// rise of the centre of mass in a jump, m
    pub jump_height: Option<f64>,
    /// name of the style
    pub style: String,
    /// number of steps
    pub steps: usize,
    /// turn to the left, degrees
    pub turn_deg: f64,
    /// slope uphill, degrees
    pub slope_deg: f64,
    /// stairs, if any
    pub stairs: Option<StairsRequest>,
    /// amplitudes of the six determinants
    pub determinants: Determinants,
}

impl SegmentSummary {
    /// All segments of a walk.
    pub fn all(requests: &[SegmentRequest], segments: &[Segment]) -> Vec<SegmentSummary> {
        requests
            .iter()
            .zip(segments)
            .map(|(request, segment)| SegmentSummary::new(request, segment))
            .collect()
    }

    fn new(request: &SegmentRequest, segment: &Segment) -> SegmentSummary {
        let p = &segment.parameters;
        let (slope_deg, stairs) = match segment.ground {
            Terrain::Level => (0.0, None),
            Terrain::Slope(angle) => (angle.to_degrees(), None),
            Terrain::Stairs { rise, tread } => (0.0, Some(StairsRequest { rise, tread })),
        };
        SegmentSummary {
            given: request.pace,
            speed: p.speed,
            step_length: p.length,
            step_frequency: p.frequency,
            double_support_fraction: (p.double / p.cycle()).max(0.0),
            flight_fraction: (-p.double / p.cycle()).max(0.0),
            gait: gait_word(p.kind),
            jump_height: (p.kind == Kind::Jump).then_some(p.rise),
            style: request.style.name.clone(),
            steps: segment.steps,
            turn_deg: segment.turn.to_degrees(),
            slope_deg,
            stairs,
            determinants: request.style.style.determinants,
        }
    }
}

/// Ground reaction force over steady steps, in body weights.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct GroundForceSummary {
    /// lowest vertical force
    pub vertical_min_bw: f64,
    /// highest vertical force
    pub vertical_max_bw: f64,
    /// largest braking force
    pub fore_aft_min_bw: f64,
    /// largest propulsive force
    pub fore_aft_max_bw: f64,
    /// largest ratio of tangential to normal force
    pub friction_used: f64,
    /// coefficient of friction of the ground
    pub friction: f64,
}

/// Solver statistics over all internal steps.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WalkSolverSummary {
    /// steps solved by the fallback
    pub fallbacks: usize,
    /// steps without a feasible solution
    pub infeasible: usize,
    /// steps with a torque at the joint's strength
    pub at_strength: usize,
}

/// One steady step in detail.
#[derive(Clone, Debug)]
pub struct StepStudy {
    /// landings at its beginning and end, s
    pub span: [f64; 2],
    /// torques refined over runs of forward dynamics
    pub refined: Option<Refined>,
    /// the step on the virtual leg, and its difference from rigid contact
    pub leg: Option<(VirtualLegRun, Difference)>,
}

/// One steady step in detail.
#[derive(Clone, Debug, Serialize)]
pub struct StepSummary {
    /// landing of the first foot
    pub from_s: f64,
    /// landing of the other foot
    pub to_s: f64,
    /// torques refined over runs of forward dynamics
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidds: Option<HiddsSummary>,
    /// the step on the virtual leg
    #[serde(skip_serializing_if = "Option::is_none")]
    pub virtual_leg: Option<VirtualLegSummary>,
}

impl StepSummary {
    fn new(study: &StepStudy) -> StepSummary {
        let hidds = |refined: &Refined| HiddsSummary {
            runs: refined.history.clone(),
            best: refined.best,
            posture_deg: refined.history[refined.best].posture_deg,
            unexplained_force: refined.unexplained,
        };
        let leg = |(run, difference): &(VirtualLegRun, Difference)| VirtualLegSummary {
            difference: *difference,
            feet_slide_m: run.slip,
            feet_off_ground_m: run.height_error,
            friction: run.friction,
        };
        StepSummary {
            from_s: study.span[0],
            to_s: study.span[1],
            hidds: study.refined.as_ref().map(hidds),
            virtual_leg: study.leg.as_ref().map(leg),
        }
    }
}

/// Torques refined over runs of forward dynamics.
#[derive(Clone, Debug, Serialize)]
pub struct HiddsSummary {
    /// all runs
    pub runs: Vec<RunReport>,
    /// index of the best run
    pub best: usize,
    /// posture error of the best run
    pub posture_deg: f64,
    /// largest force that no contact supplies
    #[serde(rename = "unexplained_force_N")]
    pub unexplained_force: f64,
}

/// The step on the virtual leg against rigid contact.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct VirtualLegSummary {
    /// difference from rigid contact
    #[serde(flatten)]
    pub difference: Difference,
    /// farthest slide of a foot in stance
    pub feet_slide_m: f64,
    /// largest height error of a foot in stance
    pub feet_off_ground_m: f64,
    /// friction it takes
    pub friction: f64,
}
