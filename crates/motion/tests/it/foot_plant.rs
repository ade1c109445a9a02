//! Foot-plant clean-up and momentum planning of captured motions: contacts are at rest, and little else changes.

use anthropi_motion::contact_schedule::ContactSchedule;
use anthropi_motion::cutoff::{self, Cutoff};
use anthropi_motion::filter;
use anthropi_motion::filter::foot_plant::FootPlant;
use anthropi_motion::filter::momentum_plan::MomentumPlan;
use anthropi_motion::inverse::{Inverse, Options, Smoothing};
use anthropi_motion::{Clip, Trajectory, anatomy, contact_points, pose};
use testkit::captured;

/// A smoothed motion with its contact schedule.
fn smoothed(clip: &Clip) -> (Trajectory, ContactSchedule) {
    let figure = clip.figure();
    let anatomy = anatomy::from_figure(figure, &[]).unwrap();
    let points = contact_points::find(figure, &anatomy).unwrap();
    let fast = Trajectory::from_clip(clip, Some(cutoff::FAST));
    let chosen = Cutoff::choose(&fast, &anatomy);
    let trajectory = Trajectory::from_clip(clip, chosen.hz);
    let schedule = ContactSchedule::from_trajectory(&trajectory, points, None).trimmed(TRIMMED);
    (trajectory, schedule)
}

/// Contact errors of a motion.
#[derive(Debug)]
struct Measured {
    /// mean speed of points in contact, mm/s
    skate: f64,
    /// their largest distance from the ground, or from their mean height on stairs, mm
    height: f64,
    /// lowest foot point not in contact, mm above the ground
    lowest: f64,
}

impl Measured {
    /// Asserts that points in contact are nearly at rest on the ground: where a leg is too short for its footprint, its foot
    /// lifts, and the body stays where it is.
    fn assert_planted(&self, name: &str) {
        assert!(self.skate < MAX_SKATE && self.height < MAX_HEIGHT, "{name}: {self:?}");
    }
}

fn measure(clip: &Clip, schedule: &ContactSchedule) -> Measured {
    let (dt, ground) = (clip.dt(), schedule.ground);
    let (mut travel_sum, mut count, mut height, mut lowest) = (0.0, 0, 0.0f64, f64::INFINITY);
    for (k, point) in schedule.points.iter().enumerate() {
        let track = &schedule.tracks[k];
        for interval in schedule.intervals(k) {
            let mean = interval.clone().map(|f| track.at(f)[0].z).sum::<f64>() / interval.len() as f64;
            for f in interval.clone() {
                for (i, p) in track.at(f).iter().enumerate() {
                    height =
                        height.max(if ground.is_even { ground.above(*p).abs() } else { (p.z - mean).abs() });
                    if f + 1 < interval.end {
                        travel_sum += (track.at(f + 1)[i] - *p - ground.velocity.scale(dt)).norm();
                        count += 1;
                    }
                }
            }
        }
        if point.site.is_foot() && ground.is_even {
            for f in (0..clip.frames()).filter(|f| !schedule.is_on(k, *f)) {
                lowest = track.at(f).iter().map(|p| ground.above(*p)).fold(lowest, f64::min);
            }
        }
    }
    Measured {
        skate: 1e3 * travel_sum / (f64::from(count.max(1)) * dt),
        height: 1e3 * height,
        lowest: 1e3 * lowest,
    }
}

/// RMS change of the joint angles, degrees, and of the root position, cm.
fn change(a: &Clip, b: &Clip) -> [f64; 2] {
    let figure = a.figure();
    let forest = figure.forest();
    let mut delta = vec![0.0; forest.nv()];
    let (mut turns, mut joints, mut travel) = (0.0, 0, 0.0);
    for f in 0..a.frames() {
        pose::difference(forest, a.pose(f), b.pose(f), &mut delta);
        for (handle, _) in figure.joints() {
            let joint = forest.joint_place(handle);
            let own = &delta[joint.dofs()];
            match joint.nv {
                6 => travel += own[3..].iter().map(|x| x * x).sum::<f64>(),
                0 => {}
                _ => (turns, joints) = (turns + own.iter().map(|x| x * x).sum::<f64>(), joints + 1),
            }
        }
    }
    [(turns / f64::from(joints.max(1))).sqrt().to_degrees(), 100.0 * (travel / a.frames() as f64).sqrt()]
}

/// RMS of the residual force over weight, and of the residual moment over weight and length, percent.
fn residual(clip: &Clip) -> [f64; 2] {
    let settings = Options { smoothing: Smoothing::None, ..Options::default() };
    let inverse = Inverse::from_clip(clip, &settings, &mut |_| {}).unwrap();
    let weight = inverse.weight();
    let n = inverse.frames.len() as f64;
    let force = inverse.frames.iter().map(|f| f.residual.linear.norm().powi(2)).sum::<f64>() / n;
    let moment = inverse.frames.iter().map(|f| f.residual.angular.norm().powi(2)).sum::<f64>() / n;
    [100.0 * force.sqrt() / weight, 100.0 * moment.sqrt() / (weight * inverse.length())]
}

/// Contact intervals end where points are this far above their typical height, m, as in the filter.
const TRIMMED: f64 = 0.014;
/// Limits of points in contact: distance from the ground, mm, and mean speed, mm/s.
const MAX_HEIGHT: f64 = 20.0;
const MAX_SKATE: f64 = 35.0;
/// Feet in the air are above the ground, mm.
const MIN_CLEARANCE: f64 = 0.1;

/// Captured walks with limits of the residual force, percent RMS, and of the changes by clean-up, cm RMS, and by the plan,
/// degrees and cm RMS.
const WALKS: [(&str, f64, f64, f64, f64); 4] = [
    ("02_01", 2.5, 2.5, 1.2, 1.0),
    ("16_19", 5.5, 2.5, 1.5, 1.0),
    ("35_01", 2.2, 2.5, 1.0, 1.0),
    ("07_01", 7.5, 2.5, 2.8, 1.5),
];

#[test]
fn captured_walks_are_planted_and_planned() {
    for (name, force, dragged, joint, root) in WALKS {
        let Some(clip) = captured::clip(name) else { return };
        let (trajectory, schedule) = smoothed(&clip);
        let foot_plant = FootPlant::new(&trajectory, &schedule);
        let plan = MomentumPlan::new(&foot_plant, &mut |_| ());
        for (clip, schedule) in [(&foot_plant.clip, &foot_plant.schedule), (&plan.clip, &plan.schedule)] {
            let measured = measure(clip, schedule);
            measured.assert_planted(name);
            assert!(measured.lowest > MIN_CLEARANCE, "{name}: {measured:?}");
        }
        // legs that are too short do not drag the body
        let [_, moved] = change(&trajectory.clip, &foot_plant.clip);
        assert!(moved < dragged, "{name}: {moved}");
        let ([got, _], [turned, moved]) = (residual(&plan.clip), change(&foot_plant.clip, &plan.clip));
        assert!(got < force, "{name}: {got}");
        assert!(turned < joint && moved < root, "{name}: {turned} {moved}");
    }
}

#[test]
fn captured_stairs_are_climbed() {
    let Some(clip) = captured::clip("83_27") else { return };
    let (trajectory, schedule) = smoothed(&clip);
    let foot_plant = FootPlant::new(&trajectory, &schedule);
    let measured = measure(&foot_plant.clip, &foot_plant.schedule);
    measured.assert_planted("stairs");
    assert!(!schedule.ground.is_even);
    // stance heights differ: three steps are 37 cm
    let settings = filter::FilterSettings::default();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let filtered = filter::run(&clip, &settings, &mut |_| {}, &mut |step| {
        for g in step.body.ground() {
            (low, high) = (low.min(g.at.z), high.max(g.at.z));
        }
    });
    let filtered = filtered.unwrap();
    let (tracking, audit) = (&filtered.tracking, &filtered.audit);
    assert!(filtered.is_consistent(), "fell {:?}, {audit:?}", filtered.fell);
    assert!(tracking.joint_rms_deg < 1.2 && audit.grf_peak < 2.0, "{} {audit:?}", tracking.joint_rms_deg);
    assert!((0.33..0.40).contains(&(high - low)), "{low} {high}");
}

#[test]
fn built_in_motions_are_planted() {
    for built_in in anthropi_app::builtin::MOTIONS {
        let clip = anthropi_app::builtin::motion(built_in.name).unwrap().unwrap();
        let (trajectory, schedule) = smoothed(&clip);
        let foot_plant = FootPlant::new(&trajectory, &schedule);
        let plan = MomentumPlan::new(&foot_plant, &mut |_| ());
        for (clip, schedule) in [(&foot_plant.clip, &foot_plant.schedule), (&plan.clip, &plan.schedule)] {
            measure(clip, schedule).assert_planted(built_in.name);
            assert!(clip.poses().iter().all(|x| x.is_finite()) && clip.frames() == trajectory.clip.frames());
        }
        // continuous between frames
        let t = clip.start() + 3.4 * clip.dt();
        let (a, b) = (plan.momentum.at(t), plan.momentum.at(t + 1e-6));
        assert!((b.com - a.com - a.velocity.scale(1e-6)).norm() < 1e-9, "{}", built_in.name);
    }
}

#[test]
fn a_few_frames_are_enough() {
    let clip = anthropi_app::builtin::motion("keyed-walk").unwrap().unwrap();
    let nq = clip.figure().forest().nq();
    for frames in [1, 2, 3, 9] {
        let q = clip.poses()[..frames * nq].to_vec();
        let few = Clip::new("few", clip.figure().clone(), clip.dt(), q).unwrap();
        let (trajectory, schedule) = smoothed(&few);
        let plan = MomentumPlan::new(&FootPlant::new(&trajectory, &schedule), &mut |_| ());
        assert!(plan.clip.frames() == frames && plan.clip.poses().iter().all(|x| x.is_finite()));
        assert!(plan.momentum.at(few.end()).com.is_finite());
    }
}

#[test]
fn a_motion_without_contacts_is_unchanged() {
    let clip = anthropi_app::builtin::motion("keyed-jump").unwrap().unwrap();
    let figure = clip.figure().clone();
    let root = figure.joints().find(|(_, j)| j.kind.name() == "free").map(|(h, _)| h).unwrap();
    let (at, nq) = (figure.forest().joint_place(root).iq, figure.forest().nq());
    let mut q = clip.poses().to_vec();
    q.chunks_exact_mut(nq).enumerate().for_each(|(f, q)| q[at + 2] += 5.0 * f as f64);
    let high = Clip::new("high", figure, clip.dt(), q).unwrap();
    let trajectory = Trajectory::from_clip(&high, None);
    let anatomy = anatomy::from_figure(high.figure(), &[]).unwrap();
    let points = contact_points::find(high.figure(), &anatomy).unwrap();
    let schedule = ContactSchedule::from_trajectory(&trajectory, points, Some(-100.0));
    let foot_plant = FootPlant::new(&trajectory, &schedule);
    let plan = MomentumPlan::new(&foot_plant, &mut |_| ());
    assert!(!foot_plant.notes.is_empty() && foot_plant.clip.poses() == high.poses());
    assert!(plan.clip.poses() == high.poses());
}
