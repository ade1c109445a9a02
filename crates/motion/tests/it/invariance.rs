//! Forces and certificate are invariant under translation, heading and mirroring, and scale with the units.

use anthropi_app::builtin;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_motion::clip::Pace;
use anthropi_motion::filter::{self, Mode};
use anthropi_motion::inverse::{Inverse, Options, Smoothing};
use anthropi_motion::{Certificate, Clip, Trajectory};
use testkit::motions::*;

/// Part of the weight, or of the largest torque: rounding in the distribution of forces, whose regularisation is 1e-7.
const SAME: f64 = 1e-5;

fn motion(name: &str) -> Clip {
    builtin::motion(name).unwrap().unwrap()
}

fn forces(clip: &Clip) -> Inverse {
    Inverse::from_clip(clip, &Options::default(), &mut |_| ()).unwrap()
}

/// Largest difference of torques as part of the largest, and the frame where it is; `sign` by degree of freedom.
fn torques_apart(a: &Inverse, b: &Inverse, scale: f64, pair: impl Fn(usize) -> (usize, f64)) -> (f64, usize) {
    let (mut most, mut size) = ((0.0, 0), 0.0f64);
    for frame in 0..a.frames.len() {
        let (a, b) = (a.tau(frame), b.tau(frame));
        for (k, a) in a.iter().enumerate().skip(6) {
            let (other, sign) = pair(k);
            let miss = (scale * a - sign * b[other]).abs();
            size = size.max(scale * a.abs());
            if miss > most.0 {
                most = (miss, frame);
            }
        }
    }
    (most.0 / size, most.1)
}

fn ground_forces(inverse: &Inverse) -> Vec<Vec3> {
    let sum =
        |f: &anthropi_motion::inverse::Frame| f.contact_forces.iter().fold(Vec3::ZERO, |s, p| s + p.force);
    inverse.frames.iter().map(sum).collect()
}

fn same_verdict(a: &Certificate, b: &Certificate, why: &str) {
    assert_eq!(a.is_consistent, b.is_consistent, "{why}");
    let faults = |c: &Certificate| c.findings.iter().map(|f| (f.fault, f.frames.clone())).collect::<Vec<_>>();
    assert_eq!(faults(a), faults(b), "{why}");
    assert_eq!(a.contact.frames, b.contact.frames, "{why}");
}

/// Far away, with another heading, and on a floor of another height.
#[test]
fn forces_do_not_depend_on_position_and_heading() {
    let anywhere: &[(Vec3, f64)] = &[
        (vec3(0.0, 0.0, 4.0), 0.0),
        (vec3(0.0, 0.0, -3.0), 0.4),
        (vec3(-7.0, 1.0, 0.0), -1.1),
        (vec3(0.0, 0.0, 0.0), 2.2),
    ];
    for (name, places) in [("keyed-walk", 4), ("keyed-kick", 2), ("keyed-jump", 1), ("keyed-run", 2)] {
        let clip = motion(name);
        let here = forces(&clip);
        for &(shift, yaw) in &anywhere[..places] {
            let there = forces(&clip.moved(shift, yaw).unwrap());
            let why = format!("{name} at {shift:?}, turned by {yaw}");
            assert_eq!(
                here.cutoff.hz, there.cutoff.hz,
                "{why}: {} and {}",
                here.cutoff.reason, there.cutoff.reason
            );
            let (apart, frame) = torques_apart(&here, &there, 1.0, |k| (k, 1.0));
            assert!(apart < SAME, "{why}: torques of frame {frame} differ by {apart:e}");
            let turn = Quat::about(vec3(0.0, 0.0, 1.0), yaw);
            for (frame, (a, b)) in ground_forces(&here).into_iter().zip(ground_forces(&there)).enumerate() {
                let miss = (turn.rotate(a) - b).norm() / here.weight();
                assert!(miss < SAME, "{why}: ground forces of frame {frame} differ by {miss:e}");
            }
            let rise = there.schedule.ground.height - here.schedule.ground.height;
            assert!((rise - shift.z).abs() < 1e-9, "{why}: the ground rose by {rise}");
            same_verdict(&Certificate::from_inverse(&here), &Certificate::from_inverse(&there), &why);
        }
    }
}

/// Degree of freedom of the other side, and its sign: mirrored in the sagittal plane, rotations about x and z change sign.
fn mirrored_dof(figure: &Figure) -> Vec<(usize, f64)> {
    let mut pairs = vec![(0, 1.0); figure.forest().nv()];
    for (handle, joint) in figure.joints() {
        let name = match joint.name.strip_prefix("left_") {
            Some(rest) => format!("right_{rest}"),
            None => {
                joint.name.strip_prefix("right_").map_or(joint.name.clone(), |rest| format!("left_{rest}"))
            }
        };
        let (place, other) = (
            figure.forest().joint_place(handle),
            figure.forest().joint_place(figure.find_joint(&name).unwrap()),
        );
        for k in 0..place.nv {
            // axes of the built-in figures are world axes in the home pose
            let axis = match joint.kind.nv() {
                1 => vec3(0.0, 1.0, 0.0),
                2 => [vec3(0.0, 1.0, 0.0), vec3(1.0, 0.0, 0.0)][k],
                _ => Vec3::from_array(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][k % 3]),
            };
            pairs[place.iv + k] = (other.iv + k, if axis.y == 1.0 { 1.0 } else { -1.0 });
        }
    }
    pairs
}

#[test]
fn mirroring_swaps_the_sides_of_forces() {
    for name in ["keyed-walk", "keyed-kick"] {
        let clip = motion(name);
        let mirrored = clip.mirrored().unwrap();
        let pairs = mirrored_dof(clip.figure());
        let (one, other) = (forces(&clip), forces(&mirrored));
        let (apart, frame) = torques_apart(&one, &other, 1.0, |k| pairs[k]);
        assert!(apart < SAME, "{name}: torques of frame {frame} differ by {apart:e}");
        for (frame, (a, b)) in ground_forces(&one).into_iter().zip(ground_forces(&other)).enumerate() {
            let miss = (vec3(a.x, -a.y, a.z) - b).norm() / one.weight();
            assert!(miss < SAME, "{name}: ground forces of frame {frame} differ by {miss:e}");
        }
        let (a, b) = (Certificate::from_inverse(&one), Certificate::from_inverse(&other));
        assert_eq!((a.is_consistent, a.findings.len()), (b.is_consistent, b.findings.len()), "{name}");
    }
}

/// Twice the mass doubles everything. Half the height, with time scaled by its square root: moments scale with mass times
/// length.
#[test]
fn forces_scale_with_size_and_mass() {
    for name in ["keyed-walk", "keyed-jump"] {
        let clip = motion(name);
        let settings = Options { smoothing: Smoothing::None, ..Options::default() };
        let of = |clip: &Clip| Inverse::from_clip(clip, &settings, &mut |_| ()).unwrap();
        let usual = of(&clip);
        let mass = clip.figure().mass();
        let heavy = of(&clip.with_stature_and_mass(None, Some(2.0 * mass), Pace::Same).unwrap());
        let (apart, frame) = torques_apart(&usual, &heavy, 2.0, |k| (k, 1.0));
        assert!(apart < SAME, "{name}, heavy: torques of frame {frame} differ by {apart:e}");
        let (a, b) = (Certificate::from_inverse(&usual), Certificate::from_inverse(&heavy));
        let [a, b] = [a.residual.force_rms_bw, b.residual.force_rms_bw];
        assert!((a - b).abs() < SAME, "{name}: {a} and {b} body weights");
        same_verdict(&Certificate::from_inverse(&usual), &Certificate::from_inverse(&heavy), name);
    }
}

/// Reversed in time, velocities change sign and accelerations stay; k times faster, they grow by k and k^2.
#[test]
fn derivatives_follow_the_clock() {
    for name in ["human-28", "anthropi-42"] {
        let clip = sines(&human(name), 120.0, 90);
        let forward = Trajectory::from_clip(&clip, None);
        let backward = Trajectory::from_clip(&clip.reversed(), None);
        let fast = Trajectory::from_clip(&clip.at_speed(3.0).unwrap(), None);
        let last = clip.frames() - 1;
        for frame in 0..=last {
            let mirror = last - frame;
            let vs = forward.v(frame).iter().zip(backward.v(mirror)).zip(fast.v(frame));
            for (k, ((v, back), fast)) in vs.enumerate() {
                assert!((v + back).abs() < 1e-8, "{name}, frame {frame}, {k}: {v} and {back}");
                assert!((3.0 * v - fast).abs() < 1e-8, "{name}, frame {frame}, {k}: {v} and {fast}");
            }
            let accelerations = forward.a(frame).iter().zip(backward.a(mirror)).zip(fast.a(frame));
            for (k, ((a, back), fast)) in accelerations.enumerate() {
                assert!((a - back).abs() < 1e-6, "{name}, frame {frame}, {k}: {a} and {back}");
                assert!((9.0 * a - fast).abs() < 1e-5, "{name}, frame {frame}, {k}: {a} and {fast}");
            }
        }
    }
}

/// Velocities and accelerations are in body axes: invariant under translation and rotation.
#[test]
fn derivatives_do_not_depend_on_position_and_heading() {
    let clip = sines(&human("human-40"), 100.0, 60);
    let here = Trajectory::from_clip(&clip, None);
    let there = Trajectory::from_clip(&clip.moved(vec3(5.0, -3.0, 2.0), 1.9).unwrap(), None);
    for frame in 0..clip.frames() {
        let (a, b) = (here.at(frame), there.at(frame));
        for k in 0..a.1.len() {
            assert!((a.1[k] - b.1[k]).abs() < 1e-8 && (a.2[k] - b.2[k]).abs() < 1e-6, "frame {frame}, {k}");
        }
    }
}

/// The on-line and off-line filters are invariant.
#[test]
fn the_filter_does_not_depend_on_position_and_heading() {
    let clip = motion("keyed-walk").cut(0.5, 1.6).unwrap();
    let yaw = 2.0;
    // a thousand steps a second with changing contacts; off-line plans converge to 1e-5 m and are made anew twenty times a
    // second from the state, which amplifies that. On-line, a floor found near zero snaps to zero
    let (near, up) = (vec3(4.0, -2.0, 0.0), vec3(4.0, -2.0, 1.5));
    for (mode, shift, most) in [(Mode::Online, near, 1e-6), (Mode::Offline, up, 2e-3)] {
        let settings = filter::FilterSettings { mode, ..filter::FilterSettings::default() };
        let run = |clip: &Clip| filter::run(clip, &settings, &mut |_| (), &mut |_| ()).unwrap();
        let (here, there) = (run(&clip), run(&clip.moved(shift, yaw).unwrap()));
        let expected = here.clip.moved(shift, yaw).unwrap();
        assert_eq!(here.fell, there.fell, "{mode:?}");
        let miss = clips_apart(&expected, &there.clip);
        assert!(miss < most, "{mode:?}: {miss:e}");
    }
}
