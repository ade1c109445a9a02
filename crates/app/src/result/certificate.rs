//! Certificates and inverse dynamics.

use super::PropResult;
use anthropi_motion::certificate::{Certificate, Contact, Finding, Peak, Residual};
use anthropi_motion::clip::Clip;
use anthropi_motion::cutoff::Cutoff;
use anthropi_motion::filter::Filtered;
use anthropi_motion::inverse::Inverse;
use anthropi_motion::lamps::Lamps;
use anthropi_motion::note::{self, Note};
use serde::Serialize;

/// Result of `certify`.
#[derive(Clone, Debug, Serialize)]
pub struct CertificateResult {
    /// name of the clip
    pub name: String,
    /// number of frames
    pub frames: usize,
    /// frames per second
    pub fps: f64,
    /// first to last frame, s
    pub duration_s: f64,
    /// the figure that moves
    pub figure: FigureSummary,
    /// force and moment that no contact can supply
    pub root_residual: Residual,
    /// contact with the ground
    pub contact: Contact,
    /// ground reaction force
    pub grf: GroundReaction,
    /// highest joint torque, N m
    #[serde(rename = "torque_peak_Nm")]
    pub torque_peak_value: f64,
    /// highest joint power, W
    #[serde(rename = "power_peak_W")]
    pub power_peak_value: f64,
    /// highest joint torque, N m
    pub torque_peak: Peak,
    /// highest joint power, W
    pub power_peak: Peak,
    /// first frame assessed by forces, and the frame after the last
    pub judged_frames: [usize; 2],
    /// low-pass before derivatives
    pub cutoff: Cutoff,
    /// the ground
    pub ground: GroundResult,
    /// props that carry besides the ground
    pub props: Vec<PropResult>,
    /// contact intervals of each contact point: first frame, and the frame after the last
    #[serde(serialize_with = "super::as_map")]
    pub touches: Vec<(String, Vec<[usize; 2]>)>,
    /// faults, worst first
    pub findings: Vec<FindingResult>,
    /// notes and warnings
    pub notes: Vec<String>,
    /// consistent or not
    pub verdict: Verdict,
    /// the lamps
    pub lamps: Lamps,
    /// limits widened by what is uncertain
    pub uncertainty: UncertaintyResult,
}

impl CertificateResult {
    /// The result of a certificate.
    pub fn new(
        inverse: &Inverse,
        certificate: &Certificate,
        notes: &[Note],
        lamps: Lamps,
    ) -> CertificateResult {
        let (clip, schedule) = (&inverse.trajectory.clip, &inverse.schedule);
        let figure = clip.figure();
        let Certificate { grf_peak, torque_peak, power_peak, .. } = certificate;
        let intervals = |k: usize| schedule.intervals(k).iter().map(|s| [s.start, s.end]).collect();
        CertificateResult {
            name: clip.name.clone(),
            frames: clip.frames(),
            fps: 1.0 / clip.dt(),
            duration_s: clip.duration(),
            figure: FigureSummary {
                name: figure.name.clone(),
                mass_kg: figure.mass(),
                stature_m: figure.stature,
                links: figure.links().count(),
                dof: figure.forest().nv(),
            },
            root_residual: certificate.residual,
            contact: certificate.contact,
            grf: GroundReaction { peak_bw: *grf_peak },
            torque_peak_value: torque_peak.value,
            power_peak_value: power_peak.value,
            torque_peak: torque_peak.clone(),
            power_peak: power_peak.clone(),
            judged_frames: [certificate.assessed.start, certificate.assessed.end],
            cutoff: inverse.cutoff.clone(),
            ground: GroundResult {
                height_m: schedule.ground.height,
                slope: schedule.ground.slope,
                spread_m: schedule.ground.spread,
                even: schedule.ground.is_even,
                velocity_m_per_s: schedule.ground.velocity.to_array(),
            },
            props: PropResult::all(&schedule.props, clip),
            touches: (0..schedule.points.len())
                .map(|k| (schedule.points[k].site.to_string(), intervals(k)))
                .collect(),
            findings: certificate.findings.iter().map(|f| FindingResult::new(clip, f)).collect(),
            notes: note::texts(notes),
            verdict: certificate.is_consistent.into(),
            lamps,
            uncertainty: UncertaintyResult {
                sole_m: certificate.sole_uncertainty,
                moment_limit: certificate.moment_limit,
                explained: certificate.explained.iter().map(|f| FindingResult::new(clip, f)).collect(),
            },
        }
    }
}

/// What is uncertain, and the limits that it widens.
#[derive(Clone, Debug, Serialize)]
pub struct UncertaintyResult {
    /// uncertainty of the edges of the soles, m; zero for soles that are given
    pub sole_m: f64,
    /// limit of the residual moment, RMS, with this uncertainty
    #[serde(rename = "moment_limit_Nm")]
    pub moment_limit: f64,
    /// faults that it explains; not in `findings`
    pub explained: Vec<FindingResult>,
}

/// Whether a motion is physically consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// no finding, and residuals within tolerance
    #[serde(rename = "consistent")]
    Consistent,
    /// otherwise
    #[serde(rename = "not consistent")]
    NotConsistent,
}

impl Verdict {
    /// The word in files and messages.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Consistent => "consistent",
            Verdict::NotConsistent => "not consistent",
        }
    }
}

impl From<bool> for Verdict {
    fn from(is_consistent: bool) -> Verdict {
        if is_consistent { Verdict::Consistent } else { Verdict::NotConsistent }
    }
}

/// The figure that moves.
#[derive(Clone, Debug, Serialize)]
pub struct FigureSummary {
    /// its name
    pub name: String,
    /// total mass, kg
    pub mass_kg: f64,
    /// stature, m, if known
    pub stature_m: Option<f64>,
    /// number of links
    pub links: usize,
    /// degrees of freedom, base included
    pub dof: usize,
}

/// Ground reaction force.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct GroundReaction {
    /// peak, body weights
    pub peak_bw: f64,
}

/// The ground.
#[derive(Clone, Debug, Serialize)]
pub struct GroundResult {
    /// height at the origin, m
    pub height_m: f64,
    /// slope along x and y
    pub slope: [f64; 2],
    /// spread of the contact points about the plane, m
    pub spread_m: f64,
    /// whether one plane fits all contacts
    pub even: bool,
    /// velocity of a treadmill belt, m/s
    pub velocity_m_per_s: [f64; 3],
}

/// A fault of a motion.
#[derive(Clone, Debug, Serialize)]
pub struct FindingResult {
    /// kind of fault
    pub fault: String,
    /// start, s
    pub from_s: f64,
    /// end, s
    pub to_s: f64,
    /// first frame, and the frame after the last
    pub frames: [usize; 2],
    /// frame of the peak
    pub worst_frame: usize,
    /// peak, in `unit`
    pub size: f64,
    /// unit of `size`
    pub unit: String,
    /// peak relative to the tolerance
    pub severity: f64,
    /// description
    pub what: String,
}

impl FindingResult {
    fn new(clip: &Clip, f: &Finding) -> FindingResult {
        FindingResult {
            fault: f.fault.to_string(),
            from_s: clip.time(f.frames.start),
            to_s: clip.time(f.frames.end),
            frames: [f.frames.start, f.frames.end],
            worst_frame: f.worst,
            size: f.size,
            unit: f.unit.to_string(),
            severity: f.severity,
            what: f.what.clone(),
        }
    }
}

/// Certificate of a filtered motion by the filter's own forces; violations are counted in internal steps.
#[derive(Clone, Debug, Serialize)]
pub struct ForceCertificate {
    /// internal steps
    pub steps: usize,
    /// force and moment without a source
    pub root_residual: Residual,
    /// contact with the ground
    pub contact: ForceContactSummary,
    /// ground reaction force
    pub grf: StepGroundReaction,
    /// highest joint torque, N m
    #[serde(rename = "torque_peak_Nm")]
    pub torque_peak: f64,
    /// highest joint power, W
    #[serde(rename = "power_peak_W")]
    pub power_peak: f64,
    /// consistent or not
    pub verdict: Verdict,
}

impl ForceCertificate {
    /// The certificate of a filtered motion.
    pub fn new(filtered: &Filtered) -> ForceCertificate {
        let audit = &filtered.audit;
        ForceCertificate {
            steps: audit.steps,
            root_residual: Residual {
                force_rms: audit.force_rms,
                force_peak: audit.force_peak,
                moment_rms: audit.moment_rms,
                moment_peak: audit.moment_peak,
                force_rms_bw: audit.force_rms_bw,
            },
            contact: ForceContactSummary {
                frames: filtered.forces.iter().filter(|f| !f.is_empty()).count(),
                normal_violations: audit.normal_violations,
                friction_violations: audit.friction_violations,
                cop_outside: audit.cop_outside,
                torque_violations: audit.torque_violations,
                penetration_max_m: audit.penetration_max,
                skate_mean_m_per_s: audit.skate_mean,
            },
            grf: StepGroundReaction { peak_bw: audit.grf_peak, step_peak_bw: audit.grf_step_peak },
            torque_peak: audit.torque_peak,
            power_peak: audit.power_peak,
            verdict: filtered.is_consistent().into(),
        }
    }
}

/// Contact of a filtered motion with the ground.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ForceContactSummary {
    /// frames with contact
    pub frames: usize,
    /// steps in which the ground pulls
    pub normal_violations: usize,
    /// steps with a force outside its friction cone
    pub friction_violations: usize,
    /// steps with the centre of pressure outside the support polygon
    pub cop_outside: usize,
    /// steps with a torque beyond the joint's strength
    pub torque_violations: usize,
    /// deepest penetration, m
    pub penetration_max_m: f64,
    /// mean sliding speed of contact points, m/s
    pub skate_mean_m_per_s: f64,
}

/// Ground reaction force of a filtered motion.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StepGroundReaction {
    /// peak of the frame means, body weights
    pub peak_bw: f64,
    /// peak of the internal steps, body weights
    pub step_peak_bw: f64,
}

/// Result of `inverse`.
#[derive(Clone, Debug, Serialize)]
pub struct InverseResult {
    /// name of the clip
    pub name: String,
    /// number of frames
    pub frames: usize,
    /// frames per second
    pub fps: f64,
    /// frames with measured ground forces
    pub measured_frames: usize,
    /// file with all frames
    pub out: Option<String>,
    /// highest joint torque, N m
    #[serde(rename = "torque_peak_Nm")]
    pub torque_peak: TimedPeak,
    /// highest joint power, W
    #[serde(rename = "power_peak_W")]
    pub power_peak: TimedPeak,
    /// ground reaction force
    pub grf: GroundReaction,
    /// force and moment that no contact can supply
    pub root_residual: Residual,
    /// low-pass before derivatives
    pub cutoff: Cutoff,
    /// notes and warnings
    pub notes: Vec<String>,
}

impl InverseResult {
    /// The result of inverse dynamics; `out` is the file with all frames.
    pub fn new(
        inverse: &Inverse,
        certificate: &Certificate,
        notes: &[Note],
        out: Option<String>,
    ) -> InverseResult {
        let clip = &inverse.trajectory.clip;
        let peak =
            |p: &Peak| TimedPeak { value: p.value, joint: p.joint.clone(), time_s: clip.time(p.frame) };
        InverseResult {
            name: clip.name.clone(),
            frames: clip.frames(),
            fps: 1.0 / clip.dt(),
            measured_frames: inverse.frames.iter().filter(|f| f.is_measured).count(),
            out,
            torque_peak: peak(&certificate.torque_peak),
            power_peak: peak(&certificate.power_peak),
            grf: GroundReaction { peak_bw: certificate.grf_peak },
            root_residual: certificate.residual,
            cutoff: inverse.cutoff.clone(),
            notes: note::texts(notes),
        }
    }
}

/// A peak value with its joint and time.
#[derive(Clone, Debug, Serialize)]
pub struct TimedPeak {
    /// the value
    pub value: f64,
    /// name of the joint
    pub joint: String,
    /// time, s
    pub time_s: f64,
}
