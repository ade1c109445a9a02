//! The dynamics filter on built-in figures and motions.

use anthropi_app::builtin;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::clip::Clip;
use anthropi_motion::contact_schedule::ContactSchedule;
use anthropi_motion::filter::{
    self, AppliedForce, FilterSettings, Mode, OnlineFilter, Reference, ReferenceSample, SimulatedBody,
};
use anthropi_motion::{Trajectory, anatomy, contact_points, pose};
use std::sync::Arc;
use testkit::motions::{human, root};

/// A clip of a figure at rest in its home pose.
fn standing(figure: &Arc<Figure>, seconds: f64, dt: f64) -> Clip {
    let frames = (seconds / dt) as usize + 1;
    let q: Vec<f64> = (0..frames).flat_map(|_| figure.forest().home().to_vec()).collect();
    Clip::new("standing", figure.clone(), dt, q).unwrap()
}

fn run(clip: &Clip, settings: &FilterSettings) -> filter::Filtered {
    filter::run(clip, settings, &mut |_| (), &mut |_| ()).unwrap()
}

fn pushed(mode: Mode, force: Vec3) -> filter::Filtered {
    let figure = human("human-28");
    let clip = standing(&figure, 5.0, 1.0 / 120.0);
    let chest = figure.find_link("chest").unwrap();
    let push =
        AppliedForce { from: 1.0, to: 1.2, ..AppliedForce::constant(chest, vec3(0.0, 0.0, 0.1), force) };
    run(&clip, &FilterSettings { mode, pushes: vec![push], ..FilterSettings::default() })
}

#[test]
fn a_standing_figure_recovers_from_pushes_from_all_sides() {
    for k in 0..8 {
        let angle = f64::from(k) * core::f64::consts::FRAC_PI_4;
        let force = vec3(40.0 * angle.cos(), 40.0 * angle.sin(), 0.0);
        let f = pushed(Mode::Online, force);
        let distance = |frame: usize| (root(&f.clip, frame) - root(&f.clip, 100)).norm();
        let most = (120..300).map(distance).fold(0.0, f64::max);
        let back = distance((4.2 * 120.0) as usize);
        let (degrees, skate) = (angle.to_degrees(), f.audit.skate_mean);
        println!("{degrees:>4.0} deg: fell {:?}, moved {most:.3} m, back to {back:.3} m; {skate:?}", f.fell);
        assert!(f.fell.is_none(), "pushed at {degrees} degrees");
        assert!(back < 0.02, "{degrees} degrees: {back} m off three seconds after");
        assert_eq!(f.audit.normal_violations + f.audit.friction_violations + f.audit.cop_outside, 0);
        assert!(f.audit.force_peak < 1e-6);
    }
}

/// A walk of a figure, frame by frame.
fn walk() -> Clip {
    builtin::motion("keyed-walk").unwrap().unwrap()
}

#[test]
fn lost_and_discontinuous_frames_are_bounded_and_reported() {
    let clip = walk();
    let nq = clip.figure().forest().nq();
    let mut filter = OnlineFilter::new(clip.figure(), clip.dt()).unwrap();
    let mut errors = 0;
    for frame in 0..clip.frames() {
        let mut pose = clip.pose(frame).to_vec();
        match frame {
            50 => pose[8] = f64::NAN,
            60..66 => {
                assert!(filter.miss().unwrap().iter().all(|q| q.is_finite()));
                continue;
            }
            90 => pose[nq - 1] = f64::INFINITY,
            100.. => pose[0] += 7.5,
            _ => {}
        }
        if frame == 150 {
            // a joint jumps for one frame
            pose[7..11].copy_from_slice(&[0.0, 1.0, 0.0, 0.0]);
        }
        match filter.push(&pose) {
            Ok(out) => assert!(out.is_none_or(|q| q.iter().all(|q| q.abs() < 50.0))),
            Err(error) => {
                errors += 1;
                assert!(error.to_string().contains("not finite"), "{error}");
                filter.miss();
            }
        }
    }
    assert_eq!(errors, 2);
    assert!(filter.notes.iter().any(|n| n.is_warning && n.contains("jumps by 7.5")), "{:?}", filter.notes);
    let error = (pose::triple(filter.body.q(), 0) - root(&clip, clip.frames() - 1)).norm();
    assert!(error < 0.3, "{error} m away at the end; {:?}", filter.notes);
}

/// The walk with the travel of its root scaled.
fn scaled(clip: &Clip, scale: [f64; 3]) -> Clip {
    let mut q = clip.poses().to_vec();
    let nq = clip.figure().forest().nq();
    q.chunks_exact_mut(nq).for_each(|q| (0..3).for_each(|k| q[k] *= scale[k]));
    Clip::new("scaled", clip.figure().clone(), clip.dt(), q).unwrap()
}

#[test]
fn wrong_units_are_bounded_and_reported() {
    let clip = walk();
    for mode in [Mode::Online, Mode::Offline] {
        let settings = FilterSettings { mode, ..FilterSettings::default() };
        let f = run(&scaled(&clip, [100.0; 3]), &settings);
        assert!(f.clip.poses().iter().all(|q| q.abs() < 1e4));
        assert!(f.notes.iter().any(|n| n.contains("check the unit of length")), "{:?}", f.notes);
    }
}

#[test]
fn few_frames_are_enough_and_too_few_are_refused() {
    let clip = walk();
    for hz in [15.0, 24.0, 25.0, 30.0, 31.0] {
        let few = clip.resampled(1.0 / hz).unwrap();
        let f = run(&few, &FilterSettings::default());
        assert!(f.is_consistent(), "{hz} frames a second: fell at {:?}; {:?}", f.fell, f.notes);
        assert_eq!([f.clip.frames(), f.reference.frames(), f.forces.len()], [few.frames(); 3]);
        assert!(f.clip.dt() == few.dt() && f.clip.start() == few.start());
        // the mean ground force is the weight at any frame rate
        let mean: f64 = f.forces.iter().flatten().map(|g| g.force.z).sum::<f64>() / f.forces.len() as f64;
        let weight = few.figure().mass() * few.figure().gravity().norm();
        assert!((mean / weight - 1.0).abs() < 0.1, "{hz} frames a second: {mean} N of {weight} N");
    }
    let (sparse, settings) = (clip.resampled(0.3).unwrap(), FilterSettings::default());
    let error = filter::run(&sparse, &settings, &mut |_| (), &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("time between the frames") && error.contains("0.25"), "{error}");
}

/// A figure under extreme forces restarts before its state diverges.
#[test]
fn diverging_figures_restart() {
    let figure = human("human-28");
    let chest = figure.find_link("chest").unwrap();
    let force = vec3(3e7, 0.0, 1e7);
    let push = AppliedForce { from: 0.5, to: 0.7, ..AppliedForce::constant(chest, Vec3::ZERO, force) };
    for mode in [Mode::Online, Mode::Offline] {
        let settings = FilterSettings { mode, pushes: vec![push], ..FilterSettings::default() };
        let f = run(&standing(&figure, 1.5, 1.0 / 20.0), &settings);
        assert!(f.fell.is_some());
        assert!(f.clip.poses().iter().all(|q| q.abs() < 10.0), "{mode:?}");
        assert!(f.audit.force_peak < 1.0, "{mode:?}: residual force {} N", f.audit.force_peak);
    }
}

#[test]
fn a_treadmill_walk_stays_on_the_belt() {
    // a walk without travel is a treadmill walk
    let belt = scaled(&walk(), [0.0, 1.0, 1.0]);
    let f = run(&belt, &FilterSettings::default());
    assert!(f.fell.is_none() && f.notes[0].contains("treadmill"), "{:?}", f.notes);
    assert!(f.clip.poses().chunks(f.clip.figure().forest().nq()).all(|q| q[0].abs() < 0.25));
    assert!(f.tracking.joint_rms_deg < 4.0, "{}", f.tracking.joint_rms_deg);
}

#[test]
fn the_same_frames_give_the_same_bits_and_no_heap_is_used() {
    let clip = walk();
    let bits = || {
        let mut filter = OnlineFilter::new(clip.figure(), clip.dt()).unwrap();
        (0..clip.frames()).fold(0u64, |bits, frame| match filter.push(clip.pose(frame)).unwrap() {
            Some(q) => q.iter().fold(bits, |b, q| b.rotate_left(5) ^ q.to_bits()),
            None => bits,
        })
    };
    let in_other_thread = std::thread::scope(|scope| scope.spawn(bits).join().unwrap());
    assert_eq!(bits(), bits());
    assert_eq!(bits(), in_other_thread);
    let mut filter = OnlineFilter::new(clip.figure(), clip.dt()).unwrap();
    (0..150).for_each(|f| assert!(filter.push(clip.pose(f)).unwrap().is_some() || f == 0));
    let used = allocation_counter::measure(|| {
        (150..clip.frames()).for_each(|f| assert!(filter.push(clip.pose(f)).unwrap().is_some() || f == 0));
    });
    assert_eq!(used.count_total, 0, "{used:?}");
}

/// After a change of torque limits, a step equals that of a body with the new limits from the start.
#[test]
fn changed_torque_limits_take_effect() {
    const DT: f64 = 0.001;
    let clip = builtin::motion("keyed-sit-stand").unwrap().unwrap();
    let figure = clip.figure().clone();
    let anatomy = anatomy::from_figure(&figure, &[]).unwrap();
    let contact_points = contact_points::find(&figure, &anatomy).unwrap();
    // the knees carry most in the deepest squat
    let low = (0..clip.frames()).min_by(|a, b| clip.pose(*a)[2].total_cmp(&clip.pose(*b)[2])).unwrap();
    let squat = Clip::new("squat", figure.clone(), 0.01, clip.pose(low).repeat(50)).unwrap();
    let trajectory = Trajectory::from_clip(&squat, None);
    let schedule = ContactSchedule::from_trajectory(&trajectory, contact_points.clone(), None);
    let mut reference = ReferenceSample::default();
    Reference::new(&squat, &schedule).at(0.2, &mut reference);
    let body = |strength: f64| {
        let mut body = SimulatedBody::new(&figure, &anatomy, contact_points.clone(), strength).unwrap();
        body.start(&reference);
        body.solve(&reference, &[], DT);
        body
    };
    for (before, after) in [(0.15, 2.0), (0.15, 0.1)] {
        let mut changed = body(before);
        assert!(changed.solved().at_bounds > 0, "strength {before} is sufficient");
        changed.set_strength(&anatomy, after);
        changed.solve(&reference, &[], DT);
        let fresh = body(after);
        assert_eq!(changed.solved().at_bounds, fresh.solved().at_bounds, "from {before} to {after}");
        for (k, (a, b)) in changed.tau().iter().zip(fresh.tau()).enumerate() {
            let is_near = (a - b).abs() < 1e-3 * (1.0 + b.abs());
            assert!(is_near, "from {before} to {after}: torque {k} is {a}, not {b}");
        }
    }
}
