//! Inverse dynamics with a moving base against the full solution, and the momentum of a free figure.

use anthropi_dynamics::algo::{centroidal, moving_base};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{BodyJoint, Figure, FigureBuilder, State};
use anthropi_dynamics::sim::advance;
use anthropi_dynamics::spatial::{Force, Vec3};
use testkit::*;

/// Rounding through 40 links and one 6x6 solve.
const SOLUTION: f64 = 1e-10;
/// Central differences of momentum with step 1e-6.
const DIFFERENCE: f64 = 1e-7;

/// Which entries of v belong to free joints.
fn is_base(figure: &Figure) -> Vec<bool> {
    let mut of = vec![false; figure.forest().nv()];
    for b in figure.forest().bodies().iter().skip(1).filter(|b| b.joint == BodyJoint::Free) {
        of[b.dofs()].fill(true);
    }
    of
}

/// Reconstructs a random solution with `moving_base`; returns the errors of a and tau.
fn put_together(
    figure: &Figure,
    s: &State,
    seed: u64,
    external: Option<&[Force]>,
    work: &mut moving_base::Work,
) -> (f64, f64) {
    let forest = figure.forest();
    let a = random_vector(forest.nv(), seed, 3.0);
    let tau = inverse_dynamics(figure, s, &a, external);
    let base = is_base(figure);
    let given = |x: &[f64], keep: bool| -> Vec<f64> {
        // the unknowns hold garbage on entry
        x.iter().zip(&base).map(|(x, b)| if *b == keep { *x } else { 1e3 }).collect()
    };
    let (mut got_a, mut got_tau) = (given(&a, false), given(&tau, true));
    moving_base::inverse_dynamics(forest, &s.q, &s.v, external, work, &mut got_a, &mut got_tau);
    (off(&got_a, &a), off(&got_tau, &tau))
}

fn compare(what: &'static str, figures: impl Iterator<Item = (u64, Figure)>) {
    let mut accelerations = Residuals::new("accelerations of the base", SOLUTION);
    let mut forces = Residuals::new("forces of the joints", SOLUTION);
    let mut work = moving_base::Work::default();
    for (seed, figure) in figures {
        let s = random_state(&figure, seed);
        let pushes = random_body_forces(&figure, seed);
        for external in [None, Some(&pushes[..])] {
            let (a, tau) = put_together(&figure, &s, seed, external, &mut work);
            accelerations.see(a, || format!("{what} seed {seed}, pushed {}", external.is_some()));
            forces.see(tau, || format!("{what} seed {seed}, pushed {}", external.is_some()));
        }
    }
    accelerations.finish();
    forces.finish();
}

#[test]
fn base_acceleration_and_joint_forces_are_those_of_the_full_solution() {
    compare(
        "plain",
        (0..20).map(|seed| (seed, random_tree(seed, 1 + 2 * seed as usize, JointKind::Free, false))),
    );
    compare(
        "rotors",
        (0..20).map(|seed| (seed, random_tree(seed, 1 + 2 * seed as usize, JointKind::Free, true))),
    );
}

#[test]
fn fixed_figures_beside_a_free_one_get_plain_inverse_dynamics() {
    compare(
        "beside",
        (0..10).map(|seed| {
            let mut b = FigureBuilder::new("both");
            let mut rng = Rng::new(seed);
            add_random_tree(&mut b, &mut rng, "fixed ", 5, JointKind::Spherical, false);
            add_random_tree(&mut b, &mut rng, "free ", 7, JointKind::Free, false);
            (seed, b.build().unwrap())
        }),
    );
}

#[test]
fn two_free_figures_in_one_forest() {
    compare(
        "two",
        (0..10).map(|seed| {
            let mut b = FigureBuilder::new("two");
            let mut rng = Rng::new(seed);
            add_random_tree(&mut b, &mut rng, "first ", 5, JointKind::Free, false);
            add_random_tree(&mut b, &mut rng, "second ", 7, JointKind::Free, false);
            (seed, b.build().unwrap())
        }),
    );
}

#[test]
fn momentum_of_a_free_figure_changes_by_its_weight_alone() {
    let mut rate = Residuals::new("rate of momentum", DIFFERENCE);
    for seed in 0..20 {
        let figure = random_tree(seed, 1 + seed as usize, JointKind::Free, false);
        let forest = figure.forest();
        let s = random_state(&figure, seed);
        // arbitrary joint motion, no force on the base
        let mut a = random_vector(forest.nv(), seed, 3.0);
        let mut tau = vec![0.0; forest.nv()];
        moving_base::inverse_dynamics(
            forest,
            &s.q,
            &s.v,
            None,
            &mut moving_base::Work::default(),
            &mut a,
            &mut tau,
        );
        let h = 1e-6;
        let momentum_at = |t: f64| {
            let mut u = s.clone();
            advance(forest, &mut u.q, &s.v, t);
            u.v = s.v.iter().zip(&a).map(|(v, a)| v + t * a).collect();
            centroidal::momentum_about_origin(forest, &kinematics_of(&figure, &u, None))
        };
        let got = (momentum_at(h) - momentum_at(-h)).times(0.5 / h);
        let k = kinematics_of(&figure, &s, None);
        let weight = forest.gravity().scale(centroidal::mass(forest));
        let want = Force::at_point(weight, centroidal::center_of_mass(forest, &k));
        rate.see(off(&got.to_array(), &want.to_array()), || format!("seed {seed}"));
        assert!(weight != Vec3::ZERO);
    }
    rate.finish();
}
