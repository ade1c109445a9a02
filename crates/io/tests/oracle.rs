//! Tree dynamics of the built-in figures against Pinocchio (`fixtures/oracle`, made by `oracle/figures.py`).

use anthropi_dynamics::algo::{aba, centroidal, crba, energy, fk::Kinematics, rnea};
use anthropi_dynamics::model::{Figure, State};
use anthropi_io::builtin;
use serde_json::Value;

/// Relative to the largest number of each reference; measured 3e-13 at the worst.
const AGREEMENT: f64 = 1e-9;

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// A vector of all degrees of freedom from one entry a joint.
fn vector(figure: &Figure, by_joint: &Value) -> Vec<f64> {
    let mut out = vec![0.0; figure.forest().nv()];
    for (handle, joint) in figure.joints() {
        let place = figure.forest().joint_place(handle);
        if place.nv > 0 {
            out[place.iv..place.iv + place.nv].copy_from_slice(&numbers(&by_joint[&joint.name]));
        }
    }
    out
}

fn check(what: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{what}");
    assert!(got.iter().all(|x| x.is_finite()), "{what}: not finite");
    let size = want.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    let off = got.iter().zip(want).fold(0.0, |m: f64, (g, w)| m.max((g - w).abs())) / size;
    assert!(off <= AGREEMENT, "{what}: residual {off:e}");
}

#[test]
fn built_in_figures_agree_with_pinocchio() {
    for b in builtin::figures() {
        let figure = builtin::figure(b.name).unwrap().unwrap().figure.rigid();
        let path = format!("{}/../../fixtures/oracle/{}.json", env!("CARGO_MANIFEST_DIR"), b.name);
        let reference: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let dofs: Vec<&str> =
            reference["dofs"].as_array().unwrap().iter().map(|d| d.as_str().unwrap()).collect();
        assert_eq!(figure.dof_names(), dofs, "{}", b.name);
        for (i, r) in reference["states"].as_array().unwrap().iter().enumerate() {
            compare(&format!("{} state {i}", b.name), &figure, r);
        }
    }
}

fn compare(name: &str, figure: &Figure, r: &Value) {
    let forest = figure.forest();
    let n = forest.nv();
    let mut s = State::home(figure);
    for (handle, joint) in figure.joints() {
        if joint.kind.nv() > 0 {
            s.set_q(figure, handle, &numbers(&r["q"][&joint.name])).unwrap();
            s.set_v(figure, handle, &numbers(&r["v"][&joint.name])).unwrap();
        }
    }
    let mut out = vec![0.0; n];
    rnea::inverse_dynamics(
        forest,
        &s.q,
        &s.v,
        &vector(figure, &r["a"]),
        None,
        &mut rnea::Work::default(),
        &mut out,
    );
    check(&format!("{name}: inverse dynamics"), &out, &vector(figure, &r["inverse_dynamics"]));

    let (tau, mut work) = (vector(figure, &r["tau"]), aba::Work::default());
    aba::forward_dynamics(forest, &s.q, &s.v, &tau, None, None, &mut work, &mut out);
    check(&format!("{name}: forward dynamics"), &out, &vector(figure, &r["forward_dynamics"]));

    let mut m = crba::PathMatrix::default();
    crba::mass_matrix(forest, &s.q, &mut crba::Work::default(), &mut m);
    for (row, want) in m.to_dense(forest).iter().zip(r["mass_matrix"].as_array().unwrap()) {
        let want = numbers(want);
        check(&format!("{name}: mass matrix"), &row[..want.len()], &want);
    }

    let mut k = Kinematics::default();
    k.update(forest, &s.q, Some(&s.v), None);
    check(&format!("{name}: com"), &centroidal::center_of_mass(forest, &k).to_array(), &numbers(&r["com"]));
    let h = centroidal::momentum(forest, &k);
    check(&format!("{name}: momentum"), &h.linear.to_array(), &numbers(&r["momentum"]["linear"]));
    check(&format!("{name}: angular momentum"), &h.angular.to_array(), &numbers(&r["momentum"]["angular"]));
    let energies = [energy::kinetic(forest, &k, &s.v), energy::potential(forest, &k)];
    let want = ["kinetic_energy", "potential_energy"].map(|e| r[e].as_f64().unwrap());
    check(&format!("{name}: energies"), &energies, &want);
    for (handle, link) in figure.links() {
        let (pose, want) = (k.link_pose(forest, handle), &r["link_poses"][&link.spec.name]);
        check(
            &format!("{name}: place of {}", link.spec.name),
            &pose.translation.to_array(),
            &numbers(&want["position"]),
        );
        check(
            &format!("{name}: turn of {}", link.spec.name),
            &pose.orientation().0,
            &numbers(&want["orientation"]),
        );
    }
}
