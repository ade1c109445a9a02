//! Hybrid dynamics against forward and inverse dynamics.

use anthropi_dynamics::algo::{aba, fk::Kinematics, rnea};
use anthropi_dynamics::spatial::vec3;
use anthropi_motion::papers::hybrid_dynamics::{Prescribed, PrescribedPoint, solve};
use testkit::Rng;
use testkit::motions::human;

fn close(a: &[f64], b: &[f64], most: f64) {
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() < most * (1.0 + b.abs()), "{k}: {a} {b}");
    }
}

#[test]
fn with_all_torques_it_is_forward_dynamics() {
    let figure = human("human-28");
    let (forest, mut random) = (figure.forest(), Rng::new(1));
    let (q, nv) = (forest.home().to_vec(), forest.nv());
    let v: Vec<f64> = (0..nv).map(|_| random.signed()).collect();
    let mut tau: Vec<f64> = (0..nv).map(|_| 20.0 * random.signed()).collect();
    tau[..6].fill(0.0);
    let prescribed = Prescribed { tau: tau.iter().map(|t| Some(*t)).collect(), ..Prescribed::default() };
    let solution = solve(&figure, &q, &v, &prescribed).unwrap();
    let mut a = vec![0.0; nv];
    aba::forward_dynamics(forest, &q, &v, &tau, None, None, &mut aba::Work::default(), &mut a);
    close(&solution.a, &a, 1e-6);
}

#[test]
fn with_all_joint_accelerations_it_is_inverse_dynamics_in_flight() {
    let figure = human("human-28");
    let (forest, mut random) = (figure.forest(), Rng::new(2));
    let (q, nv) = (forest.home().to_vec(), forest.nv());
    let v: Vec<f64> = (0..nv).map(|_| random.signed()).collect();
    let prescribed: Vec<Option<f64>> = (0..nv).map(|k| (k >= 6).then(|| 5.0 * random.signed())).collect();
    let solution =
        solve(&figure, &q, &v, &Prescribed { a: prescribed.clone(), ..Prescribed::default() }).unwrap();
    (6..nv).for_each(|k| assert_eq!(Some(solution.a[k]), prescribed[k]));
    let mut tau = vec![0.0; nv];
    rnea::inverse_dynamics(forest, &q, &v, &solution.a, None, &mut rnea::Work::default(), &mut tau);
    close(&solution.tau, &tau, 1e-6);
    assert!(tau[..6].iter().all(|t| t.abs() < 1e-5), "{:?}", &tau[..6]);
    // more than motors: the root is not driven
    let all = Prescribed { a: vec![Some(1.0); nv], ..Prescribed::default() };
    assert!(solve(&figure, &q, &v, &all).unwrap_err().to_string().contains("contradict"));
}

#[test]
fn arms_follow_prescribed_points() {
    let figure = human("human-28");
    let (forest, v) = (figure.forest(), vec![0.0; figure.forest().nv()]);
    let q = forest.home().to_vec();
    let points = ["left_forearm", "right_forearm"].map(|name| PrescribedPoint {
        link: figure.find_link(name).unwrap(),
        at: vec3(0.0, 0.0, 0.0),
        acceleration: vec3(2.0, 0.5, -1.0),
    });
    let solution =
        solve(&figure, &q, &v, &Prescribed { points: points.to_vec(), ..Prescribed::default() }).unwrap();
    let mut kinematics = Kinematics::default();
    kinematics.update(forest, &q, Some(&v), Some(&solution.a));
    for d in points {
        let a = kinematics.link_acceleration(forest, d.link).linear;
        assert!((a - d.acceleration).norm() < 1e-7, "{a:?}");
    }
    let mut tau = vec![0.0; forest.nv()];
    rnea::inverse_dynamics(forest, &q, &v, &solution.a, None, &mut rnea::Work::default(), &mut tau);
    close(&solution.tau, &tau, 1e-6);
}
