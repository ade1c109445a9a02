//! The dynamics filter on figures and motions that are built in.

use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_io::builtin;
use anthropi_motion::clip::Clip;
use anthropi_motion::filter::{self, Aim, Body, Mode, OnlineFilter, Outside, Push, Reference, Settings};
use anthropi_motion::touch::Touches;
use anthropi_motion::{Trajectory, anatomy, spots};
use std::sync::Arc;

/// A clip of a figure that stands still in its home pose.
fn standing(figure: &Arc<Figure>, seconds: f64, dt: f64) -> Clip {
    let frames = (seconds / dt) as usize + 1;
    let q: Vec<f64> = (0..frames).flat_map(|_| figure.forest().home().to_vec()).collect();
    Clip::new("standing", figure.clone(), dt, q).unwrap()
}

fn human() -> Arc<Figure> {
    Arc::new(builtin::figure("human-28").unwrap().unwrap().figure)
}

fn pushed(mode: Mode, force: Vec3) -> filter::Filtered {
    let figure = human();
    let clip = standing(&figure, 5.0, 1.0 / 120.0);
    let chest = figure.find_link("chest").unwrap();
    let outside = Outside { link: chest, at: vec3(0.0, 0.0, 0.1), force, is_known: false };
    let settings =
        Settings { mode, pushes: vec![Push { from: 1.0, to: 1.2, outside }], ..Settings::default() };
    filter::run(&clip, &settings, &mut |_| (), &mut |_| ()).unwrap()
}

#[test]
fn a_standing_figure_survives_pushes_from_all_sides_and_comes_back() {
    for k in 0..8 {
        let angle = f64::from(k) * core::f64::consts::FRAC_PI_4;
        let force = vec3(40.0 * angle.cos(), 40.0 * angle.sin(), 0.0);
        let f = pushed(Mode::Online, force);
        let way = |frame: usize| {
            let (a, b) = (f.clip.pose(frame), f.clip.pose(100));
            vec3(a[0] - b[0], a[1] - b[1], a[2] - b[2]).norm()
        };
        let most = (120..300).map(way).fold(0.0, f64::max);
        let back = way((4.2 * 120.0) as usize);
        println!(
            "{:>4.0} deg: fell {:?} moved {:.1} cm, back to {:.1} cm; {:?}",
            angle.to_degrees(),
            f.fell,
            100.0 * most,
            100.0 * back,
            f.proof.skate_mean
        );
        assert!(f.fell.is_none(), "pushed at {} degrees", angle.to_degrees());
        assert!(back < 0.02, "{} degrees: {back} m off three seconds after", angle.to_degrees());
        assert_eq!(f.proof.normal_violations + f.proof.friction_violations + f.proof.cop_outside, 0);
        assert!(f.proof.force_peak < 1e-6);
    }
}

/// A walk of a figure, frame by frame.
fn walk() -> Clip {
    builtin::motion("keyed-walk").unwrap().unwrap()
}

#[test]
fn frames_that_are_lost_or_absurd_leave_the_figure_bounded_and_are_told() {
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
            // a joint is elsewhere for one frame
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
    assert!(filter.notes.iter().any(|n| n.contains("leaps by 7.5")), "{:?}", filter.notes);
    let (q, last) = (filter.body.q(), clip.pose(clip.frames() - 1));
    let off = vec3(q[0] - last[0], q[1] - last[1], q[2] - last[2]).norm();
    assert!(off < 0.3, "{off} m away at the end; {:?}", filter.notes);
}

/// The walk with the travel of its root scaled.
fn scaled(clip: &Clip, scale: [f64; 3]) -> Clip {
    let mut q = clip.poses().to_vec();
    let nq = clip.figure().forest().nq();
    q.chunks_exact_mut(nq).for_each(|q| (0..3).for_each(|k| q[k] *= scale[k]));
    Clip::new("scaled", clip.figure().clone(), clip.dt(), q).unwrap()
}

#[test]
fn motions_of_another_scale_are_bounded_and_told() {
    let clip = walk();
    for mode in [Mode::Online, Mode::Offline] {
        let settings = Settings { mode, ..Settings::default() };
        let wrong = scaled(&clip, [100.0; 3]);
        let f = filter::run(&wrong, &settings, &mut |_| (), &mut |_| ()).unwrap();
        assert!(f.clip.poses().iter().all(|q| q.abs() < 1e4));
        assert!(f.notes.iter().any(|n| n.contains("check the unit of length")), "{:?}", f.notes);
    }
}

#[test]
fn few_frames_are_enough_and_too_few_are_refused() {
    let clip = walk();
    let run = |clip: &Clip| filter::run(clip, &Settings::default(), &mut |_| (), &mut |_| ());
    for hz in [15.0, 24.0, 25.0, 30.0, 31.0] {
        let few = clip.resampled(1.0 / hz).unwrap();
        let f = run(&few).unwrap();
        assert!(
            f.fell.is_none() && f.is_consistent(),
            "{hz} frames a second: fell at {:?}; {:?}",
            f.fell,
            f.notes
        );
        assert_eq!([f.clip.frames(), f.reference.frames(), f.forces.len()], [few.frames(); 3]);
        assert!(f.clip.dt() == few.dt() && f.clip.start() == few.start());
        // the ground carries the weight on the way, however it is cut into frames
        let mean: f64 = f.forces.iter().flatten().map(|g| g.force.z).sum::<f64>() / f.forces.len() as f64;
        let weight = few.figure().mass() * few.figure().gravity().norm();
        assert!((mean / weight - 1.0).abs() < 0.1, "{hz} frames a second: {mean} N of {weight} N");
    }
    let error = run(&clip.resampled(0.3).unwrap()).unwrap_err().to_string();
    assert!(error.contains("time between the frames") && error.contains("0.25"), "{error}");
}

/// A figure that is thrown about begins anew before its numbers are those of no figure.
#[test]
fn wild_figures_end_their_frame() {
    let figure = human();
    let chest = figure.find_link("chest").unwrap();
    let outside = Outside { link: chest, at: Vec3::ZERO, force: vec3(3e7, 0.0, 1e7), is_known: false };
    for mode in [Mode::Online, Mode::Offline] {
        let settings =
            Settings { mode, pushes: vec![Push { from: 0.5, to: 0.7, outside }], ..Settings::default() };
        let f =
            filter::run(&standing(&figure, 1.5, 1.0 / 20.0), &settings, &mut |_| (), &mut |_| ()).unwrap();
        assert!(f.fell.is_some());
        assert!(f.clip.poses().iter().all(|q| q.abs() < 10.0), "{mode:?}");
        assert!(f.proof.force_peak < 1.0, "{mode:?}: {} N without a source", f.proof.force_peak);
    }
}

#[test]
fn who_walks_on_a_treadmill_stays_on_it() {
    // a walk that goes nowhere is one on a belt
    let belt = scaled(&walk(), [0.0, 1.0, 1.0]);
    let f = filter::run(&belt, &Settings::default(), &mut |_| (), &mut |_| ()).unwrap();
    assert!(f.fell.is_none() && f.notes[0].contains("treadmill"), "{:?}", f.notes);
    assert!(f.clip.poses().chunks(f.clip.figure().forest().nq()).all(|q| q[0].abs() < 0.25));
    assert!(f.tracking.joint_rms_deg < 4.0, "{}", f.tracking.joint_rms_deg);
}

#[test]
fn the_same_frames_give_the_same_bits_and_no_heap_is_used() {
    let clip = walk();
    let run = || {
        let mut filter = OnlineFilter::new(clip.figure(), clip.dt()).unwrap();
        let mut bits = 0u64;
        for frame in 0..clip.frames() {
            if let Some(q) = filter.push(clip.pose(frame)).unwrap() {
                bits = q.iter().fold(bits, |b, q| b.rotate_left(5) ^ q.to_bits());
            }
        }
        bits
    };
    let there = std::thread::spawn({
        let clip = clip.clone();
        move || {
            let mut filter = OnlineFilter::new(clip.figure(), clip.dt()).unwrap();
            (0..clip.frames()).fold(0u64, |bits, frame| match filter.push(clip.pose(frame)).unwrap() {
                Some(q) => q.iter().fold(bits, |b, q| b.rotate_left(5) ^ q.to_bits()),
                None => bits,
            })
        }
    });
    assert_eq!(run(), run());
    assert_eq!(run(), there.join().unwrap());
    let mut filter = OnlineFilter::new(clip.figure(), clip.dt()).unwrap();
    (0..150).for_each(|f| assert!(filter.push(clip.pose(f)).unwrap().is_some() || f == 0));
    let used = allocation_counter::measure(|| {
        (150..clip.frames()).for_each(|f| assert!(filter.push(clip.pose(f)).unwrap().is_some() || f == 0));
    });
    assert_eq!(used.count_total, 0, "{used:?}");
}

/// A joint that was held at its strength is held no longer when it has become stronger, and no more when weaker: the
/// step is that of a body which has been so strong all the time.
#[test]
fn a_body_whose_strength_changes_uses_what_it_has() {
    const DT: f64 = 0.001;
    let clip = builtin::motion("keyed-sit-stand").unwrap().unwrap();
    let figure = clip.figure().clone();
    let anatomy = anatomy::of_figure(&figure, &[]).unwrap();
    let places = spots::of_figure(&figure, &anatomy).unwrap();
    // in the deepest squat the knees have most to carry
    let low = (0..clip.frames()).min_by(|a, b| clip.pose(*a)[2].total_cmp(&clip.pose(*b)[2])).unwrap();
    let squat = Clip::new("squat", figure.clone(), 0.01, clip.pose(low).repeat(50)).unwrap();
    let trajectory = Trajectory::of(&squat, None);
    let touches = Touches::of(&trajectory, places.clone(), None);
    let mut aim = Aim::default();
    Reference::of(&squat, &touches).at(0.2, &mut aim);
    let body = |strength: f64| {
        let mut body = Body::new(&figure, &anatomy, places.clone(), strength).unwrap();
        body.start(&aim);
        body.solve(&aim, &[], DT);
        body
    };
    for (before, after) in [(0.15, 2.0), (0.15, 0.1)] {
        let mut changed = body(before);
        assert!(changed.solved().at_bounds > 0, "strength {before} is enough");
        changed.set_strength(&anatomy, after);
        changed.solve(&aim, &[], DT);
        let fresh = body(after);
        assert_eq!(changed.solved().at_bounds, fresh.solved().at_bounds, "from {before} to {after}");
        for (k, (a, b)) in changed.tau().iter().zip(fresh.tau()).enumerate() {
            assert!(
                (a - b).abs() < 1e-3 * (1.0 + b.abs()),
                "from {before} to {after}: torque {k} is {a}, not {b}"
            );
        }
    }
}
