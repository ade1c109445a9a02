//! Captured motions put on their feet: what touches stays where it is, and little else changes.

mod captured;

use anthropi_motion::cutoff::{self, Cutoff};
use anthropi_motion::filter;
use anthropi_motion::footing::Footing;
use anthropi_motion::inverse::{Inverse, Settings, Smoothing};
use anthropi_motion::replan::Replan;
use anthropi_motion::touch::Touches;
use anthropi_motion::{Clip, Trajectory, anatomy, pose, spots};

/// A motion smoothed as its kind asks for, with its contacts.
fn smoothed(clip: &Clip) -> (Trajectory, Touches) {
    let figure = clip.figure();
    let anatomy = anatomy::of_figure(figure, &[]).unwrap();
    let places = spots::of_figure(figure, &anatomy).unwrap();
    let fast = Trajectory::of(clip, Some(cutoff::FAST));
    let chosen = Cutoff::choose(&fast, &anatomy);
    let trajectory = Trajectory::of(clip, chosen.hz);
    let touches = Touches::of(&trajectory, places, None);
    (trajectory, touches)
}

/// What is said of a motion on its feet.
#[derive(Debug)]
struct Measured {
    /// mean speed of points that touch, mm/s
    skate: f64,
    /// farthest of them from the ground, or from their mean height on stairs, mm
    height: f64,
    /// lowest point of a foot that does not touch, mm over the ground
    lowest: f64,
}

fn measure(clip: &Clip, touches: &Touches) -> Measured {
    let (dt, ground) = (clip.dt(), touches.ground);
    let (mut way, mut count, mut height, mut lowest) = (0.0, 0, 0.0f64, f64::INFINITY);
    for (k, place) in touches.places.iter().enumerate() {
        let track = &touches.tracks[k];
        for spell in touches.spells(k) {
            let mean = spell.clone().map(|f| track.at(f)[0].z).sum::<f64>() / spell.len() as f64;
            for f in spell.clone() {
                for (i, p) in track.at(f).iter().enumerate() {
                    height =
                        height.max(if ground.is_even { ground.above(*p).abs() } else { (p.z - mean).abs() });
                    if f + 1 < spell.end {
                        way += (track.at(f + 1)[i] - *p - ground.velocity.scale(dt)).norm();
                        count += 1;
                    }
                }
            }
        }
        if place.spot.is_foot() && ground.is_even {
            for f in (0..clip.frames()).filter(|f| !touches.is_on(k, *f)) {
                lowest = track.at(f).iter().map(|p| ground.above(*p)).fold(lowest, f64::min);
            }
        }
    }
    Measured { skate: 1e3 * way / (f64::from(count.max(1)) * dt), height: 1e3 * height, lowest: 1e3 * lowest }
}

/// Change of joints, degrees rms of the angle of each, and of the root's place, cm rms.
fn change(a: &Clip, b: &Clip) -> [f64; 2] {
    let figure = a.figure();
    let forest = figure.forest();
    let mut way = vec![0.0; forest.nv()];
    let (mut turns, mut joints, mut travel) = (0.0, 0, 0.0);
    for f in 0..a.frames() {
        pose::difference(forest, a.pose(f), b.pose(f), &mut way);
        for (handle, _) in figure.joints() {
            let place = forest.joint_place(handle);
            let own = &way[place.iv..place.iv + place.nv];
            match place.nv {
                6 => travel += own[3..].iter().map(|x| x * x).sum::<f64>(),
                0 => {}
                _ => (turns, joints) = (turns + own.iter().map(|x| x * x).sum::<f64>(), joints + 1),
            }
        }
    }
    [(turns / f64::from(joints.max(1))).sqrt().to_degrees(), 100.0 * (travel / a.frames() as f64).sqrt()]
}

/// What no contact can give, rms: force over weight, and moment over weight and length, both in percent.
fn residual(clip: &Clip) -> [f64; 2] {
    let settings = Settings { smoothing: Smoothing::None, ..Settings::default() };
    let inverse = Inverse::of(clip, &settings, &mut |_| {}).unwrap();
    let weight = inverse.weight();
    let n = inverse.frames.len() as f64;
    let force = inverse.frames.iter().map(|f| f.missing.linear.norm().powi(2)).sum::<f64>() / n;
    let moment = inverse.frames.iter().map(|f| f.missing.angular.norm().powi(2)).sum::<f64>() / n;
    [100.0 * force.sqrt() / weight, 100.0 * moment.sqrt() / (weight * inverse.length())]
}

/// Points that touch are this near to the ground, mm, and this slow, mm/s.
const OFF: f64 = 0.1;
const SKATE: f64 = 0.1;

/// Bounds of a captured motion: residual force, percent rms; change by the plan, degrees and cm rms.
const WALKS: [(&str, f64, f64, f64); 4] =
    [("02_01", 1.0, 1.0, 1.0), ("16_19", 1.2, 1.0, 1.0), ("35_01", 1.5, 1.0, 1.5), ("07_01", 2.2, 1.0, 1.5)];

#[test]
fn captured_walks_stand_and_are_carried() {
    for (name, force, joint, root) in WALKS {
        let Some(clip) = captured::clip(name) else { return };
        let (trajectory, touches) = smoothed(&clip);
        let footing = Footing::of(&trajectory, &touches);
        let replan = Replan::of(&footing, &mut |_| ());
        for (clip, touches) in [(&footing.clip, &footing.touches), (&replan.clip, &replan.touches)] {
            let measured = measure(clip, touches);
            assert!(measured.skate < SKATE && measured.height < OFF, "{name}: {measured:?}");
            assert!(measured.lowest > -OFF, "{name}: {measured:?}");
        }
        let ([got, _], [turned, moved]) = (residual(&replan.clip), change(&footing.clip, &replan.clip));
        assert!(replan.is_planned && got < force, "{name}: {got}");
        assert!(turned < joint && moved < root, "{name}: {turned} {moved}");
    }
}

#[test]
fn captured_stairs_are_climbed() {
    let Some(clip) = captured::clip("83_27") else { return };
    let (trajectory, touches) = smoothed(&clip);
    let footing = Footing::of(&trajectory, &touches);
    let measured = measure(&footing.clip, &footing.touches);
    assert!(!touches.ground.is_even && measured.skate < SKATE && measured.height < OFF, "{measured:?}");
    // each stance has its own height: three steps are 37 cm
    let settings = filter::Settings::default();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let told = filter::run(&clip, &settings, &mut |_| {}, &mut |step| {
        for g in step.body.ground() {
            (low, high) = (low.min(g.at.z), high.max(g.at.z));
        }
    });
    let told = told.unwrap();
    let (tracking, proof) = (&told.tracking, &told.proof);
    assert!(told.is_consistent(), "fell {:?}, {proof:?}", told.fell);
    assert!(tracking.joint_rms_deg < 1.0 && proof.grf_peak < 2.0, "{} {proof:?}", tracking.joint_rms_deg);
    assert!((0.33..0.40).contains(&(high - low)), "{low} {high}");
}

#[test]
fn built_in_motions_stand_and_stay_themselves() {
    for built_in in anthropi_io::builtin::motions() {
        let clip = anthropi_io::builtin::motion(built_in.name).unwrap().unwrap();
        let (trajectory, touches) = smoothed(&clip);
        let footing = Footing::of(&trajectory, &touches);
        let replan = Replan::of(&footing, &mut |_| ());
        for (clip, touches) in [(&footing.clip, &footing.touches), (&replan.clip, &replan.touches)] {
            let measured = measure(clip, touches);
            assert!(measured.skate < SKATE && measured.height < OFF, "{}: {measured:?}", built_in.name);
            assert!(clip.poses().iter().all(|x| x.is_finite()) && clip.frames() == trajectory.clip.frames());
        }
        // between frames nothing leaps
        let t = clip.start() + 3.4 * clip.dt();
        let (a, b) = (replan.centroid.at(t), replan.centroid.at(t + 1e-6));
        assert!((b.center - a.center - a.velocity.scale(1e-6)).norm() < 1e-9, "{}", built_in.name);
    }
}

#[test]
fn a_few_frames_are_enough() {
    let clip = anthropi_io::builtin::motion("keyed-walk").unwrap().unwrap();
    let nq = clip.figure().forest().nq();
    for frames in [1, 2, 3, 9] {
        let q = clip.poses()[..frames * nq].to_vec();
        let few = Clip::new("few", clip.figure().clone(), clip.dt(), q).unwrap();
        let (trajectory, touches) = smoothed(&few);
        let replan = Replan::of(&Footing::of(&trajectory, &touches), &mut |_| ());
        assert!(replan.clip.frames() == frames && replan.clip.poses().iter().all(|x| x.is_finite()));
        assert!(replan.centroid.at(few.end()).center.is_finite());
    }
}

#[test]
fn a_motion_in_the_air_stays_as_it_is() {
    let clip = anthropi_io::builtin::motion("keyed-jump").unwrap().unwrap();
    let figure = clip.figure().clone();
    let root = figure.joints().find(|(_, j)| j.kind.name() == "free").map(|(h, _)| h).unwrap();
    let (at, nq) = (figure.forest().joint_place(root).iq, figure.forest().nq());
    let mut q = clip.poses().to_vec();
    q.chunks_exact_mut(nq).enumerate().for_each(|(f, q)| q[at + 2] += 5.0 * f as f64);
    let high = Clip::new("high", figure, clip.dt(), q).unwrap();
    let trajectory = Trajectory::of(&high, None);
    let anatomy = anatomy::of_figure(high.figure(), &[]).unwrap();
    let places = spots::of_figure(high.figure(), &anatomy).unwrap();
    let touches = Touches::of(&trajectory, places, Some(-100.0));
    let footing = Footing::of(&trajectory, &touches);
    let replan = Replan::of(&footing, &mut |_| ());
    assert!(!footing.notes.is_empty() && footing.clip.poses() == high.poses());
    assert!(!replan.is_planned && replan.clip.poses() == high.poses());
}
