//! Accelerations, torques and constraint forces from those that are known.

use anthropi_dynamics::algo::{aba, rnea};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::vec3;
use anthropi_io::builtin;
use anthropi_motion::filter::{Drawn, Known, whole};

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }
}

fn human() -> Figure {
    builtin::figure("human-28").unwrap().unwrap().figure
}

fn close(a: &[f64], b: &[f64], most: f64) {
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() < most * (1.0 + b.abs()), "{k}: {a} {b}");
    }
}

#[test]
fn with_all_torques_known_it_is_forward_dynamics() {
    let figure = human();
    let (forest, mut random) = (figure.forest(), Random(1));
    let (q, nv) = (forest.home().to_vec(), forest.nv());
    let v: Vec<f64> = (0..nv).map(|_| random.next()).collect();
    let mut tau: Vec<f64> = (0..nv).map(|_| 20.0 * random.next()).collect();
    tau[..6].fill(0.0);
    let known = Known { tau: tau.iter().map(|t| Some(*t)).collect(), ..Known::default() };
    let found = whole(&figure, &q, &v, &known).unwrap();
    let mut a = vec![0.0; nv];
    aba::forward_dynamics(forest, &q, &v, &tau, None, None, &mut aba::Work::default(), &mut a);
    close(&found.a, &a, 1e-6);
}

#[test]
fn with_all_joints_known_it_is_inverse_dynamics_of_a_figure_in_the_air() {
    let figure = human();
    let (forest, mut random) = (figure.forest(), Random(2));
    let (q, nv) = (forest.home().to_vec(), forest.nv());
    let v: Vec<f64> = (0..nv).map(|_| random.next()).collect();
    let wanted: Vec<Option<f64>> = (0..nv).map(|k| (k >= 6).then(|| 5.0 * random.next())).collect();
    let found = whole(&figure, &q, &v, &Known { a: wanted.clone(), ..Known::default() }).unwrap();
    (6..nv).for_each(|k| assert_eq!(Some(found.a[k]), wanted[k]));
    let mut tau = vec![0.0; nv];
    rnea::inverse_dynamics(forest, &q, &v, &found.a, None, &mut rnea::Work::default(), &mut tau);
    close(&found.tau, &tau, 1e-6);
    assert!(tau[..6].iter().all(|t| t.abs() < 1e-5), "{:?}", &tau[..6]);
    // one more than there are motors: nothing drives the root
    let all = Known { a: vec![Some(1.0); nv], ..Known::default() };
    assert!(whole(&figure, &q, &v, &all).unwrap_err().to_string().contains("contradicts"));
}

#[test]
fn arms_follow_their_paths_and_the_rest_is_the_least() {
    let figure = human();
    let (forest, v) = (figure.forest(), vec![0.0; figure.forest().nv()]);
    let q = forest.home().to_vec();
    let drawn = ["left_forearm", "right_forearm"].map(|name| Drawn {
        link: figure.find_link(name).unwrap(),
        at: vec3(0.0, 0.0, 0.0),
        acceleration: vec3(2.0, 0.5, -1.0),
    });
    let found = whole(&figure, &q, &v, &Known { drawn: drawn.to_vec(), ..Known::default() }).unwrap();
    let mut kinematics = anthropi_dynamics::algo::fk::Kinematics::default();
    kinematics.update(forest, &q, Some(&v), Some(&found.a));
    for d in drawn {
        let a = kinematics.link_acceleration(forest, d.link).linear;
        assert!((a - d.acceleration).norm() < 1e-7, "{a:?}");
    }
    let mut tau = vec![0.0; forest.nv()];
    rnea::inverse_dynamics(forest, &q, &v, &found.a, None, &mut rnea::Work::default(), &mut tau);
    close(&found.tau, &tau, 1e-6);
}
