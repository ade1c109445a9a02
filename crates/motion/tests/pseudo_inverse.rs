//! The dynamics filter by pseudo-inverses: standing, walking, hanging on a bar.

mod testkit;

use anthropi_dynamics::sim::advance;
use anthropi_io::builtin;
use anthropi_motion::filter::{self, Aim, Body, Mode, Settings, Solver};
use anthropi_motion::{Clip, anatomy, pose, spots};

/// Force and moment on the root that nothing gives, N and N m: only rounding.
const NOTHING: f64 = 1e-9;
/// Gap of a connection, m.
const CLOSED: f64 = 1e-6;
/// Internal step, s.
const DT: f64 = 0.001;

/// A walk through the filter; the largest force that nothing gives, the lowest total of the ground.
fn walked(mode: Mode) -> (filter::Filtered, f64, f64) {
    let clip = builtin::motion("keyed-walk").expect("built in").expect("it is sound");
    let settings = Settings { mode, solver: Solver::PseudoInverse, ..Settings::default() };
    let (mut worst, mut lowest) = (0.0_f64, f64::INFINITY);
    let told = filter::run(&clip, &settings, &mut |_| (), &mut |step| {
        let (force, moment) = step.body.left_over();
        worst = worst.max(force).max(moment);
        let total: f64 = step.body.ground().iter().map(|g| g.force.z).sum();
        lowest = lowest.min(total / step.body.weight());
    });
    (told.expect("the figure has feet"), worst, lowest)
}

#[test]
fn a_keyed_walk_runs_through() {
    for mode in [Mode::Online, Mode::Offline] {
        let (told, worst, lowest) = walked(mode);
        eprintln!(
            "{mode:?}: fell {:?}, {:.2} deg, {:.3} m, lowest {lowest:.2}, {:?}",
            told.fell, told.tracking.joint_rms_deg, told.tracking.root_rms_m, told.proof
        );
        assert!(told.clip.poses().iter().all(|x| x.is_finite()));
        assert!(worst < NOTHING, "{mode:?}: {worst:e}");
    }
}
