//! Inverse dynamics reproduces torques and ground forces of simulated motions.

use anthropi_app::{builtin, scene};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, JointHandle, State};
use anthropi_dynamics::sim::{Control, Hold, Integrator, Simulation};
use anthropi_dynamics::spatial::{Quat, Vec3};
use anthropi_motion::certificate::Certificate;
use anthropi_motion::clip::Clip;
use anthropi_motion::inverse::{Inverse, Options, Smoothing};
use anthropi_motion::smooth;
use std::sync::Arc;

const DT: f64 = 1e-3;
/// Forces agree to this part of the weight.
const FORCE: f64 = 0.01;
/// Stiffness and damping of the motors, N m/rad and N m s/rad: soft, so that the motion is smooth.
const MOTOR: [f64; 2] = [10.0, 0.3];

/// Joints with motors, and their targets.
fn targets(figure: &Figure) -> Vec<(JointHandle, Vec<f64>)> {
    let turned = |handle: JointHandle, kind: JointKind| {
        let k = f64::from(figure.forest().joint_place(handle).iv as u32);
        let angle = 0.3 * (1.7 * k).sin();
        match kind {
            JointKind::Spherical => Quat::exp(Vec3 { x: angle, y: -0.5 * angle, z: 0.3 }).0.to_vec(),
            other => vec![angle; other.nv()],
        }
    };
    let moving = figure.joints().filter(|(_, j)| !matches!(j.kind, JointKind::Free | JointKind::Fixed));
    moving.map(|(handle, joint)| (handle, turned(handle, joint.kind))).collect()
}

/// Motor torques in a state: k (target - q) - b v.
fn torques(figure: &Figure, targets: &[(JointHandle, Vec<f64>)], state: &State) -> Vec<f64> {
    let mut tau = vec![0.0; figure.forest().nv()];
    for (handle, target) in targets {
        let place = figure.forest().joint_place(*handle);
        let (q, v) = (&state.q[place.coordinates()], &state.v[place.dofs()]);
        let error: Vec<f64> = match q {
            [w, x, y, z] => {
                let to = Quat([target[0], target[1], target[2], target[3]]);
                Quat([*w, *x, *y, *z]).inverse().then(to).log().to_array().to_vec()
            }
            q => q.iter().zip(target).map(|(q, t)| t - q).collect(),
        };
        for k in 0..place.nv {
            tau[place.iv + k] = MOTOR[0] * error[k] - MOTOR[1] * v[k];
        }
    }
    tau
}

/// A figure tumbles in the air while its motors pull: its motion, and the torques of each frame.
fn tumble(seconds: f64) -> (Clip, Vec<Vec<f64>>) {
    let figure = builtin::figure("human-28").unwrap().unwrap().figure.rigid();
    let targets = targets(&figure);
    let mut state = State::home(&figure);
    state.v.iter_mut().enumerate().for_each(|(k, v)| *v = 0.8 * (k as f64).cos());
    let hold = |(joint, target): &(JointHandle, Vec<f64>)| Hold {
        joint: *joint,
        target: target.clone(),
        stiffness: MOTOR[0],
        damping: MOTOR[1],
    };
    let mut sim = Simulation::new(figure.clone(), state).unwrap();
    sim.integrator = Integrator::Rk4;
    let control = Control { name: "motors".into(), holds: targets.iter().map(hold).collect(), over: 0.0 };
    sim.control(control, true).unwrap();
    let (mut q, mut tau) = (Vec::new(), Vec::new());
    for _ in 0..(seconds / DT) as usize {
        q.extend_from_slice(&sim.state().q);
        tau.push(torques(&figure, &targets, sim.state()));
        sim.step(DT).unwrap();
    }
    (Clip::new("tumble", Arc::new(figure), DT, q).unwrap(), tau)
}

/// Largest difference of joint torques as part of the largest torque, away from the ends.
fn difference(inverse: &Inverse, tau: &[Vec<f64>], ends: usize) -> f64 {
    let (mut worst, mut largest) = (0.0f64, 0.0f64);
    for frame in ends..tau.len() - ends {
        // the root has no motor
        for (got, known) in inverse.tau(frame).iter().zip(&tau[frame]).skip(6) {
            worst = worst.max((got - known).abs());
            largest = largest.max(known.abs());
        }
    }
    worst / largest
}

#[test]
fn torques_of_a_simulated_motion_are_reproduced() {
    let (clip, tau) = tumble(1.5);
    // the ground is far below: no contact, and no force at the root
    let settings = |smoothing| Options { smoothing, ground: Some(-100.0), ..Options::default() };
    let exact = Inverse::from_clip(&clip, &settings(Smoothing::None), &mut |_| {}).unwrap();
    let exact = difference(&exact, &tau, 0);
    let smoothed = Inverse::from_clip(&clip, &settings(Smoothing::At(15.0)), &mut |_| {}).unwrap();
    let smoothed = difference(&smoothed, &tau, 150);
    println!("exact {exact:.2e}, smoothed {smoothed:.2e}");
    assert!(exact < 1e-6, "without smoothing: {exact:e} of the largest torque");
    assert!(smoothed < 1e-2, "with smoothing: {smoothed:e} of the largest torque");
}

/// A figure bends and stretches its knees on a floor with contact.
const CROUCH: &str = r#"
name = "crouch"
what = "a figure bends its knees"
duration = 2
[[figure]]
use = "human-28"
at = [0, 0, -0.012457642529989422]
[figure.pose_deg]
left_hip = [-10, 0, 0]
left_knee = 20
left_ankle = [-10, 0]
right_hip = [-10, 0, 0]
right_knee = 20
right_ankle = [-10, 0]
[[control]]
name = "crouch"
kind = "pose"
stiffness = 3000
damping = 300
over = 1.5
[control.pose_deg]
left_hip = [-40, 0, 0]
left_knee = 70
left_ankle = [-30, 0]
right_hip = [-40, 0, 0]
right_knee = 70
right_ankle = [-30, 0]
[[ground]]
name = "floor"
kind = "plane"
"#;

#[test]
fn ground_forces_of_a_simulated_crouch_are_reproduced() {
    let scene = scene::read(CROUCH, "crouch.toml", None).unwrap();
    let mut sim = scene.simulation().unwrap();
    let (mut q, mut up) = (Vec::new(), Vec::new());
    for step in 0..1500 {
        sim.step(DT).unwrap();
        if step >= 100 {
            q.extend_from_slice(&sim.state().q);
            up.push(sim.contacts().iter().map(|c| c.wrench.linear.z).sum::<f64>());
        }
    }
    let clip = Clip::new("crouch", Arc::new(scene.figure.clone()), DT, q).unwrap();
    let settings = Options { smoothing: Smoothing::At(15.0), ..Options::default() };
    let inverse = Inverse::from_clip(&clip, &settings, &mut |_| {}).unwrap();
    let certificate = Certificate::from_inverse(&inverse);
    println!("{:?} {:?}", certificate.residual, certificate.findings);
    assert!(certificate.is_consistent, "{:?}", certificate.findings);
    // the simulation's forces are those of single steps: smooth them like the motion
    smooth::low_pass(&mut up, 1, 1.0 / DT, 15.0);
    let weight = inverse.weight();
    // the initial impact does not survive smoothing: compare the RMS
    let frames = 100..up.len() - 100;
    let square = |frame: usize| {
        let given: f64 = inverse.frames[frame].contact_forces.iter().map(|p| p.force.z).sum();
        (given - up[frame]).powi(2)
    };
    let rms = (frames.clone().map(square).sum::<f64>() / frames.len() as f64).sqrt();
    println!("ground force differs by {rms:.2} N of {weight:.0} N");
    assert!(rms < FORCE * weight, "{rms} N of {weight} N");
}
