//! The dynamics filter on figures and motions that are built in.

use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_io::builtin;
use anthropi_motion::clip::Clip;
use anthropi_motion::filter::{self, Mode, OnlineFilter, Outside, Push, Settings};
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
