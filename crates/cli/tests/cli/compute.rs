use crate::figures::{BRICK_TOML, CHAIN_TOML, PENDULUM_URDF, SPRUNG_MJCF};
use crate::room::{Room, assert_near, numbers};
use serde_json::json;

const ALL: &str = "dofs,mass_matrix,bias,inverse_dynamics,forward_dynamics,link_poses,link_velocities,com,kinetic_energy,\
                   potential_energy,spring_energy,momentum,centroidal_momentum_matrix";

#[test]
fn a_pendulum_by_hand() {
    let room = Room::with("compute_pendulum", &[("pendulum.urdf", PENDULUM_URDF)]);
    let state = r#"{"q": {"hinge": 0.3}, "v": {"hinge": [2]}, "a": {"hinge": [1.5]}, "tau": {"hinge": 0.7}}"#;
    let out = room.compute("pendulum.urdf", state, &format!("{ALL},jacobian:rod"), &[]);
    let (s, c) = 0.3_f64.sin_cos();
    let (inertia, weight) = (0.1 + 2.0 * 0.25, 2.0 * 9.81 * 0.5 * s);
    assert_eq!(out["dofs"], json!(["hinge"]));
    assert_near(&out["mass_matrix"], &[inertia]);
    assert_near(&out["bias"], &[weight]);
    assert_near(&out["inverse_dynamics"], &[inertia * 1.5 + weight]);
    assert_near(&out["forward_dynamics"], &[(0.7 - weight) / inertia]);
    assert_near(&out["link_poses"]["rod"]["position"], &[0.0, 0.0, 0.0]);
    assert_near(&out["link_poses"]["rod"]["orientation"], &[0.15_f64.cos(), 0.0, 0.15_f64.sin(), 0.0]);
    assert_near(&out["link_velocities"]["rod"]["angular"], &[0.0, 2.0, 0.0]);
    assert_near(&out["link_velocities"]["rod"]["linear"], &[0.0, 0.0, 0.0]);
    assert_near(&out["com"], &[-0.5 * s, 0.0, -0.5 * c]);
    assert_near(&out["kinetic_energy"], &[0.5 * inertia * 4.0]);
    assert_near(&out["potential_energy"], &[-2.0 * 9.81 * 0.5 * c]);
    assert_near(&out["spring_energy"], &[0.0]);
    assert_near(&out["momentum"]["linear"], &[-2.0 * c, 0.0, 2.0 * s]);
    assert_near(&out["momentum"]["angular"], &[0.0, 0.2, 0.0]);
    assert_near(&out["centroidal_momentum_matrix"], &[0.0, 0.1, 0.0, -c, 0.0, s]);
    assert_near(&out["jacobian:rod"], &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn springs_damping_and_armature_count_unless_rigid() {
    let room = Room::with("compute_sprung", &[("sprung.xml", SPRUNG_MJCF)]);
    let state = r#"{"q": {"hinge": 0.3}, "v": {"hinge": 2}, "a": {"hinge": 1}}"#;
    let want = "mass_matrix,bias,inverse_dynamics,forward_dynamics,spring_energy";
    // the file's own gravity: 2 m/s^2
    let weight = 2.0 * 2.0 * 0.5 * 0.3_f64.sin();
    let (resist, inertia) = (3.0 * 0.3 + 0.5 * 2.0, 0.6 + 0.2);
    let out = room.compute("sprung.xml", state, want, &[]);
    assert_near(&out["mass_matrix"], &[inertia]);
    assert_near(&out["bias"], &[weight + resist]);
    assert_near(&out["inverse_dynamics"], &[inertia + weight + resist]);
    assert_near(&out["forward_dynamics"], &[-(weight + resist) / inertia]);
    assert_near(&out["spring_energy"], &[0.5 * 3.0 * 0.09]);
    let rigid = room.compute("sprung.xml", state, want, &["--rigid", "--gravity", "0,0,-4"]);
    assert_near(&rigid["mass_matrix"], &[0.6]);
    assert_near(&rigid["bias"], &[2.0 * weight]);
    assert_near(&rigid["spring_energy"], &[0.0]);
}

#[test]
fn forces_act_at_points_of_the_world() {
    let room = Room::with("compute_forces", &[("brick.toml", BRICK_TOML)]);
    // a quarter turn about z: body x is world y
    let half = 0.5_f64.sqrt();
    let state = format!(
        r#"{{"q": {{"root": [5, 0, 0, {half}, 0, 0, {half}]}},
            "forces": [{{"link": "brick", "force": [0, 0, 10], "point": [6, 0, 0]}},
                       {{"link": "brick", "force": [8, 0, 0], "torque": [0, 0, 3]}}]}}"#
    );
    let out = room.compute("brick.toml", &state, "mass_matrix,inverse_dynamics,forward_dynamics", &[]);
    // about the origin in world axes: moment (1,0,0) x (0,0,10) + (0,0,3) = (0,-10,3); in body axes (-10, 0, 3)
    let weight = 4.0 * 9.81;
    assert_near(&out["inverse_dynamics"], &[10.0, 0.0, -3.0, 0.0, 8.0, weight - 10.0]);
    assert_near(&out["forward_dynamics"], &[-10.0 / 0.1, 0.0, 3.0 / 0.25, 0.0, -2.0, 2.5 - 9.81]);
    let mut diagonal = vec![0.0; 36];
    for (k, m) in [0.1, 0.2, 0.25, 4.0, 4.0, 4.0].into_iter().enumerate() {
        diagonal[7 * k] = m;
    }
    assert_near(&out["mass_matrix"], &diagonal);
}

#[test]
fn quaternions_may_have_any_length() {
    let room = Room::with("compute_quaternion", &[("chain.toml", CHAIN_TOML)]);
    let [one, five] = ["[0.6, 0, 0.8, 0]", "[3, 0, 4, 0]"]
        .map(|q| room.compute("chain.toml", &format!(r#"{{"q": {{"shoulder": {q}}}}}"#), ALL, &[]));
    assert_near(&one, &numbers(&five));
}

#[test]
fn forward_and_inverse_dynamics_undo_each_other() {
    let room = Room::with("compute_inverse", &[("chain.toml", CHAIN_TOML)]);
    let motion = r#""q": {"shoulder": [0.9, 0.1, -0.3, 0.2], "elbow": 0.8, "slide": -0.1},
        "v": {"shoulder": [1, -2, 0.5], "elbow": -1, "slide": 0.3},
        "forces": [{"link": "tool", "force": [1, 2, -3], "torque": [0.1, 0, 0.2], "point": [0.3, 0.1, 1]}]"#;
    let tau = r#""tau": {"shoulder": [0.5, -1, 2], "elbow": 3, "slide": -0.7}"#;
    let a = numbers(&room.compute("chain.toml", &format!("{{{motion}, {tau}}}"), "forward_dynamics", &[]));
    let a = format!(
        r#""a": {{"shoulder": [{}, {}, {}], "elbow": {}, "slide": {}}}"#,
        a[0], a[1], a[2], a[3], a[4]
    );
    let back = room.compute("chain.toml", &format!("{{{motion}, {a}}}"), "inverse_dynamics", &[]);
    assert_near(&back, &[0.5, -1.0, 2.0, 3.0, -0.7]);
}

#[test]
fn without_a_state_the_figure_rests_at_home() {
    let room = Room::with("compute_home", &[("brick.toml", BRICK_TOML)]);
    let out = room.fine(&["compute", "brick.toml", "--want", "forward_dynamics,kinetic_energy", "--json"]);
    assert_near(&out["forward_dynamics"], &[0.0, 0.0, 0.0, 0.0, 0.0, -9.81]);
    assert_near(&out["kinetic_energy"], &[0.0]);
}

#[test]
fn scaling_follows_height_and_mass() {
    let room = Room::with("compute_scaled", &[("brick.toml", BRICK_TOML)]);
    let out = room.compute("brick.toml", "{}", "mass_matrix", &["--height", "2", "--mass", "8"]);
    // inertia ~ mass length^2: 2 * 4
    assert_near(&out["mass_matrix"][0][0], &[0.8]);
    assert_near(&out["mass_matrix"][3][3], &[8.0]);
}

#[test]
fn a_scene_is_computed_with_at_its_start() {
    let room = Room::new("compute_scene");
    let want = "closure,forward_dynamics,closed_inverse_dynamics,constraint_forces,com";
    let out = room.compute("two-link-ground", "{}", want, &[]);
    assert_eq!((&out["closure"]["rank"], &out["closure"]["free"]), (&json!(6), &json!(2)));
    assert_near(&out["com"], &[0.0, 1.0, 0.0]);
    // without torques the chain falls to the side; it hangs by one end, so its free end falls fastest
    assert!(numbers(&out["forward_dynamics"]).iter().any(|a| a.abs() > 1.0));
}

#[test]
fn text_output_has_tables() {
    let room = Room::with("compute_text", &[("chain.toml", CHAIN_TOML)]);
    let got = room.run(&["compute", "chain.toml", "--want", &format!("{ALL},jacobian:tool")]);
    assert_eq!(got.code, 0, "{}", got.err);
    for part in ["mass_matrix", "shoulder.2", "elbow", "tool", "potential_energy  "] {
        assert!(got.out.contains(part), "{part}\n{}", got.out);
    }
}

#[test]
fn matrices_of_closed_chains_are_matrices_with_names() {
    let room = Room::new("compute_closure_text");
    let got =
        room.run(&["compute", "four-bar", "--want", "closure,closed_inverse_dynamics,constraint_forces"]);
    assert_eq!(got.code, 0, "{}", got.err);
    let lines: Vec<Vec<&str>> = got.out.lines().map(|l| l.split_whitespace().collect()).collect();
    let below = |title: &str| {
        let at = got.out.lines().position(|l| l == title).unwrap_or_else(|| panic!("{title}\n{}", got.out));
        &lines[at + 1..]
    };
    assert!(lines.contains(&vec!["rank", "3"]), "{}", got.out);
    let h = below("H, rows: dependent coordinates");
    assert_eq!(h[0], ["b"]);
    assert_eq!((h[1][0], h[2][0], h[3][0]), ("a", "c", "d"));
    assert_eq!(below("W, rows: the tree's coordinates")[2], ["b", "1.00000"]);
    assert_eq!(below("S, rows: actuated coordinates")[4][0], "d");
    assert_eq!(below("tau, rows: actuated coordinates")[2][0], "b");
    assert_eq!(below("constraint_forces")[0], ["Mx", "My", "Mz", "Fx", "Fy", "Fz"]);
    assert_eq!((below("constraint_forces")[1][0], below("constraint_forces")[1].len()), ("d", 7));
}
