//! Accuracy of constrained forward dynamics, against the dense equations solved by another library.
//!
//! ```text
//! [ M  -K^T ] [ a      ]   [ tau - h ]
//! [ K   0   ] [ lambda ] = [ - bias  ]
//! ```
//!
//! The directions of the rows are those of our constraints; Jacobians, bias, mass matrix and h come from the basic
//! algorithms. Only for connections that fix all six directions, as in the benchmark figures.

use crate::sample::Sample;
use anthropi_dynamics::algo::{crba, fk::Kinematics, jacobian, rnea};
use anthropi_dynamics::constraint::Work;
use anthropi_dynamics::model::{BodyIx, Forest};
use anthropi_dynamics::spatial::{Motion, Vec3};
use nalgebra::{DMatrix, DVector};

/// Largest difference of accelerations and of constraint forces, relative to the largest of each, between the results
/// in `a` and `work` and the dense solution.
pub fn error(forest: &Forest, s: &Sample<f64>, work: &Work, a: &[f64]) -> Result<f64, String> {
    let n = forest.nv();
    let (k, bias) = rows(forest, s, work);
    let m = mass_matrix(forest, &s.q);
    let mut h = vec![0.0; n];
    rnea::inverse_dynamics(forest, &s.q, &s.v, &vec![0.0; n], None, &mut rnea::Work::default(), &mut h);
    let size = n + k.nrows();
    let mut whole = DMatrix::zeros(size, size);
    whole.view_mut((0, 0), (n, n)).copy_from(&m);
    whole.view_mut((0, n), (n, k.nrows())).copy_from(&-k.transpose());
    whole.view_mut((n, 0), (k.nrows(), n)).copy_from(&k);
    let right = DVector::from_fn(size, |i, _| if i < n { s.tau[i] - h[i] } else { -bias[i - n] });
    let x = whole.full_piv_lu().solve(&right).ok_or("the dense equations are singular")?;
    let x = x.as_slice();
    Ok(relative(a, &x[..n]).max(relative(work.constraints.lambda(), &x[n..])))
}

/// K, and the acceleration of each row at zero joint acceleration.
fn rows(forest: &Forest, s: &Sample<f64>, work: &Work) -> (DMatrix<f64>, Vec<f64>) {
    let n = forest.nv();
    let mut kinematics = Kinematics::default();
    kinematics.update(forest, &s.q, Some(&s.v), None);
    let (mut ja, mut jb) = (vec![Motion::default(); n], vec![Motion::default(); n]);
    let (mut k, mut bias) = (Vec::new(), Vec::new());
    for (l, state) in forest.loops().iter().zip(work.constraints.states()) {
        jacobian::of_body_point(forest, &kinematics, l.a, state.point, &mut ja);
        jacobian::of_body_point(forest, &kinematics, l.b, state.point, &mut jb);
        let at = |body: BodyIx| {
            let arm = state.point - kinematics.body_pose(body).translation;
            (kinematics.body_velocity(body).shifted(arm), kinematics.point_acceleration(body, arm))
        };
        let ((va, aa), (vb, ab)) = (at(l.a), at(l.b));
        let (v, a) = (va - vb, aa - ab);
        for w in state.rows().iter().map(|r| r.wrench) {
            k.extend((0..n).map(|i| (ja[i] - jb[i]).dot(w)));
            // directions rotate with b; twice for the linear part (Coriolis)
            let turning = |e: Vec3| vb.angular.cross(e);
            let own = turning(w.angular).dot(v.angular) + 2.0 * turning(w.linear).dot(v.linear);
            bias.push(a.dot(w) + own);
        }
    }
    (DMatrix::from_row_slice(bias.len(), n, &k), bias)
}

fn mass_matrix(forest: &Forest, q: &[f64]) -> DMatrix<f64> {
    let mut m = crba::PathMatrix::default();
    crba::mass_matrix(forest, q, &mut crba::Work::default(), &mut m);
    DMatrix::from_row_slice(forest.nv(), forest.nv(), &m.to_dense(forest).concat())
}

fn relative(got: &[f64], want: &[f64]) -> f64 {
    let size = want.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    // `max` would ignore NaN
    let off = |(g, w): (&f64, &f64)| if g.is_finite() { (g - w).abs() } else { f64::INFINITY };
    got.iter().zip(want).map(off).fold(0.0_f64, f64::max) / size
}
