//! Tree dynamics of the built-in figures against Pinocchio (`fixtures/oracle`, made by `oracle/figures.py`).

use anthropi_app::builtin;
use anthropi_dynamics::algo::{centroidal, energy};
use anthropi_dynamics::model::{Figure, State};
use serde_json::Value;
use testkit::{dense_mass_matrix, forward_dynamics, inverse_dynamics, kinematics_of};

/// Relative to the largest number of each reference; measured 3e-13 at the worst.
const AGREEMENT: f64 = 1e-9;

pub fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// A vector of all degrees of freedom from one entry a joint.
pub fn vector(figure: &Figure, by_joint: &Value) -> Vec<f64> {
    let mut out = vec![0.0; figure.forest().nv()];
    for (handle, joint) in figure.joints() {
        let place = figure.forest().joint_place(handle);
        if place.nv > 0 {
            out[place.dofs()].copy_from_slice(&numbers(&by_joint[&joint.name]));
        }
    }
    out
}

/// Numbers of another engine.
pub fn reference(name: &str) -> Value {
    let path = format!("{}/../../fixtures/oracle/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Checks numbers against a reference, relative to its largest.
pub fn check(what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}");
    assert!(got.iter().all(|x| x.is_finite()), "{what}: not finite");
    let size = want.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    let off = got.iter().zip(want).fold(0.0, |m: f64, (g, w)| m.max((g - w).abs())) / size;
    assert!(off <= tolerance, "{what}: residual {off:e}");
}

#[test]
fn built_in_figures_agree_with_pinocchio() {
    for b in builtin::FIGURES {
        let figure = builtin::figure(b.name).unwrap().unwrap().figure.rigid();
        let reference = reference(b.name);
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
    let mut s = State::home(figure);
    for (handle, joint) in figure.joints() {
        if joint.kind.nv() > 0 {
            s.set_q(figure, handle, &numbers(&r["q"][&joint.name])).unwrap();
            s.set_v(figure, handle, &numbers(&r["v"][&joint.name])).unwrap();
        }
    }
    let tau = inverse_dynamics(figure, &s, &vector(figure, &r["a"]), None);
    check(&format!("{name}: inverse dynamics"), &tau, &vector(figure, &r["inverse_dynamics"]), AGREEMENT);
    let a = forward_dynamics(figure, &s, &vector(figure, &r["tau"]), None);
    check(&format!("{name}: forward dynamics"), &a, &vector(figure, &r["forward_dynamics"]), AGREEMENT);
    for (row, want) in dense_mass_matrix(figure, &s.q).iter().zip(r["mass_matrix"].as_array().unwrap()) {
        let want = numbers(want);
        check(&format!("{name}: mass matrix"), &row[..want.len()], &want, AGREEMENT);
    }
    let k = kinematics_of(figure, &s, None);
    check(
        &format!("{name}: com"),
        &centroidal::center_of_mass(forest, &k).to_array(),
        &numbers(&r["com"]),
        AGREEMENT,
    );
    let h = centroidal::momentum(forest, &k);
    check(&format!("{name}: momentum"), &h.linear.to_array(), &numbers(&r["momentum"]["linear"]), AGREEMENT);
    check(
        &format!("{name}: angular momentum"),
        &h.angular.to_array(),
        &numbers(&r["momentum"]["angular"]),
        AGREEMENT,
    );
    let energies = [energy::kinetic(forest, &k, &s.v), energy::potential(forest, &k)];
    let want = ["kinetic_energy", "potential_energy"].map(|e| r[e].as_f64().unwrap());
    check(&format!("{name}: energies"), &energies, &want, AGREEMENT);
    for (handle, link) in figure.links() {
        let (pose, want) = (k.link_pose(forest, handle), &r["link_poses"][&link.spec.name]);
        check(
            &format!("{name}: position of {}", link.spec.name),
            &pose.translation.to_array(),
            &numbers(&want["position"]),
            AGREEMENT,
        );
        check(
            &format!("{name}: orientation of {}", link.spec.name),
            &pose.orientation().0,
            &numbers(&want["orientation"]),
            AGREEMENT,
        );
    }
}
