//! A measured walk of OpenSim's gait2354: ground forces from the motion alone, joint moments with the measured forces.
//!
//! The walk is on a treadmill with plates (its centres of pressure travel back with the belt), so the plates see every
//! contact for the whole 2.5 s; the motion covers 1.2 s, from 0.4 s on. Near its ends accelerations are artefacts of the
//! filter, so `EDGE` frames are excluded there: 0.45 to 1.55 s count.

use anthropi_dynamics::algo::{centroidal, fk::Kinematics, rnea};
use anthropi_dynamics::spatial::{Force, Vec3, vec3};
use anthropi_formats::osim::{self, Model};
use anthropi_formats::sto;
use anthropi_motion::plates::GroundForces;
use anthropi_motion::table::Table;
use std::f64::consts::PI;
use std::path::PathBuf;

/// Frames at each end of the motion that do not count: 0.05 s.
const EDGE: usize = 3;

fn data(name: &str) -> Option<PathBuf> {
    testkit::data(&format!("opensim/gait2354/{name}"))
}

fn model(name: &str) -> Option<Model> {
    let text = std::fs::read_to_string(data(name)?).unwrap();
    Some(osim::read_model(&text, name).unwrap_or_else(|e| panic!("{e}")))
}

fn table(name: &str) -> Option<Table> {
    Some(sto::read(&std::fs::read(data(name)?).unwrap(), name).unwrap_or_else(|e| panic!("{e}")))
}

/// Butterworth low-pass sections [b0, b1, b2, a1, a2] by the bilinear transform.
fn butterworth(order: usize, cutoff: f64, rate: f64) -> Vec<[f64; 5]> {
    let k = (PI * cutoff / rate).tan();
    let pair = |i: usize| {
        let d = 2.0 * (PI * (2 * i + 1) as f64 / (2 * order) as f64).sin();
        let n = 1.0 / (1.0 + d * k + k * k);
        [k * k * n, 2.0 * k * k * n, k * k * n, 2.0 * (k * k - 1.0) * n, (1.0 - d * k + k * k) * n]
    };
    let single = [k / (1.0 + k), k / (1.0 + k), 0.0, (k - 1.0) / (1.0 + k), 0.0];
    (0..order / 2).map(pair).chain((order % 2 == 1).then_some(single)).collect()
}

/// Forward and backward, so without lag; the order counts both passes. Ends are extended by point reflection.
fn low_pass(x: &[f64], order: usize, cutoff: f64, rate: f64) -> Vec<f64> {
    let (n, pad) = (x.len(), x.len() - 1);
    let mut y: Vec<f64> = (1..=pad).rev().map(|k| 2.0 * x[0] - x[k]).collect();
    y.extend(x);
    y.extend((1..=pad).map(|k| 2.0 * x[n - 1] - x[n - 1 - k]));
    for _ in 0..2 {
        for [b0, b1, b2, a1, a2] in butterworth(order / 2, cutoff, rate) {
            // start in the steady state
            let (mut z1, mut z2) = (y[0] * (1.0 - b0), y[0] * (b2 - a2));
            for v in &mut y {
                let out = b0 * *v + z1;
                (z1, z2) = (b1 * *v - a1 * out + z2, b2 * *v - a2 * out);
                *v = out;
            }
        }
        y.reverse();
    }
    y[pad..pad + n].to_vec()
}

/// First and second derivative by five points; at the ends those of the nearest frame that has five.
fn derivatives(x: &[f64], dt: f64) -> (Vec<f64>, Vec<f64>) {
    let at = |k: usize| {
        let k = k.clamp(2, x.len() - 3);
        let [a, b, c, d, e] = [x[k - 2], x[k - 1], x[k], x[k + 1], x[k + 2]];
        (
            (a - 8.0 * b + 8.0 * d - e) / (12.0 * dt),
            (-a + 16.0 * b - 30.0 * c + 16.0 * d - e) / (12.0 * dt * dt),
        )
    };
    (0..x.len()).map(at).unzip()
}

fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt()
}

/// RMS difference and span of the expected values, without the ends.
fn compare(got: &[f64], want: &[f64], edge: usize) -> (f64, f64) {
    let inner = edge..got.len() - edge;
    let difference: Vec<f64> = inner.clone().map(|k| got[k] - want[k]).collect();
    let (least, most) = want[inner].iter().fold((f64::MAX, f64::MIN), |(l, m), x| (l.min(*x), m.max(*x)));
    (rms(&difference), most - least)
}

/// Ground force required by the motion of the centre of mass, filtered or not, and the times.
struct Predicted {
    force: Vec<Vec3>,
    time: Vec<f64>,
}

fn predicted(model: &Model, motion: &Table, filter: impl Fn(&[f64], f64) -> Vec<f64>) -> Predicted {
    let (clip, notes) = osim::clip(model, motion).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    let (forest, mut k) = (model.figure.forest(), Kinematics::default());
    let mut centers = Vec::new();
    for frame in 0..clip.frames() {
        k.update(forest, clip.pose(frame), None, None);
        centers.push(centroidal::center_of_mass(forest, &k).to_array());
    }
    let accelerations = [0, 1, 2].map(|axis| {
        let x: Vec<f64> = centers.iter().map(|c| c[axis]).collect();
        derivatives(&filter(&x, 1.0 / clip.dt()), clip.dt()).1
    });
    let [x, y, z] = accelerations;
    let force = |k: usize| (vec3(x[k], y[k], z[k]) - model.figure.gravity()).scale(model.figure.mass());
    Predicted {
        force: (0..clip.frames()).map(force).collect(),
        time: (0..clip.frames()).map(|k| clip.time(k)).collect(),
    }
}

/// Sum of the plates, filtered at their own rate, at times.
fn measured(forces: &GroundForces, time: &[f64], filter: impl Fn(&[f64], f64) -> Vec<f64>) -> Vec<Vec3> {
    let last = forces.time.len() - 1;
    let rate = last as f64 / (forces.time[last] - forces.time[0]);
    let smooth = [0, 1, 2].map(|axis| {
        let sum = |k: usize| forces.at(k).iter().map(|w| w.force.to_array()[axis]).sum();
        filter(&(0..=last).map(sum).collect::<Vec<f64>>(), rate)
    });
    let at = |t: &f64| {
        let s = (t - forces.time[0]) * rate;
        let k = (s as usize).min(last - 1);
        smooth.each_ref().map(|x| x[k] + (s - k as f64) * (x[k + 1] - x[k]))
    };
    time.iter().map(at).map(|v| Vec3::from_array(&v)).collect()
}

/// Model, joint angles, plates and OpenSim's inverse dynamics of the walk.
fn walk() -> Option<(Model, Table, GroundForces, Table)> {
    let forces = GroundForces::from_table(&table("subject01_walk1_grf.mot")?).unwrap();
    let [ik, reference] = ["subject01_walk1_ik.mot", "inverse_dynamics.reference.sto"].map(table);
    Some((model("subject01_simbody.osim")?, ik?, forces, reference?))
}

fn vertical(list: &[Vec3]) -> Vec<f64> {
    list.iter().map(|v| v.z).collect()
}

#[test]
fn the_filter_is_a_low_pass_without_lag() {
    let rate = 60.0;
    let wave = |f: f64| -> Vec<f64> { (0..600).map(|k| (2.0 * PI * f * k as f64 / rate).sin()).collect() };
    for (order, cutoff) in [(4, 6.0), (6, 6.0), (8, 6.0)] {
        // half the power is lost each way at the cutoff
        for (f, gain) in [(0.5, 1.0), (cutoff, 0.5), (24.0, 0.0)] {
            let (x, y) = (wave(f), low_pass(&wave(f), order, cutoff, rate));
            let off = (150..450).map(|k| (y[k] - gain * x[k]).abs()).fold(0.0, f64::max);
            assert!(off < 0.005, "order {order}, {f} Hz: {off}");
        }
    }
    let cubic: Vec<f64> = (0..9).map(|k| (k as f64 * 0.1).powi(3)).collect();
    let (first, second) = derivatives(&cubic, 0.1);
    assert!((first[4] - 3.0 * 0.16).abs() < 1e-12 && (second[4] - 6.0 * 0.4).abs() < 1e-11);
}

#[test]
fn ground_force_from_motion_alone() {
    let Some((model, ik, forces, reference)) = walk() else { return };
    assert_eq!((forces.names.len(), forces.notes.len()), (2, 0));
    // both sides through the same filter; measured 8.2, 8.8, 9.6 and 10.7 % of the span
    for (cutoff, most) in [(4.0, 0.083), (5.0, 0.089), (6.0, 0.097), (10.0, 0.11)] {
        let filter = |x: &[f64], rate: f64| low_pass(x, 4, cutoff, rate);
        let got = predicted(&model, &ik, filter);
        let want = measured(&forces, &got.time, filter);
        let (off, span) = compare(&vertical(&got.force), &vertical(&want), EDGE);
        println!("vertical, {cutoff} Hz: {off:.1} N of {span:.0} N, {:.1} %", 100.0 * off / span);
        assert!(off / span < most, "{cutoff} Hz: {}", off / span);
        let each = [|v: &Vec3| v.x, |v: &Vec3| v.y].map(|of| {
            let list = |l: &[Vec3]| l.iter().map(of).collect::<Vec<f64>>();
            compare(&list(&got.force), &list(&want), EDGE)
        });
        println!(
            "  forward {:.1} N of {:.0} N, sideways {:.1} N of {:.0} N",
            each[0].0, each[0].1, each[1].0, each[1].1
        );
    }
    // a property of the walk: OpenSim's residual at the pelvis, with its filter and unfiltered plates
    let opensim: Vec<f64> = reference.column(reference.find("pelvis_ty_force").unwrap()).collect();
    let got = predicted(&model, &ik, |x, rate| low_pass(x, 6, 6.0, rate));
    let want = vertical(&measured(&forces, &got.time, |x, _| x.to_vec()));
    let (ours, span) = compare(&vertical(&got.force), &want, EDGE);
    let theirs = rms(&opensim[EDGE..opensim.len() - EDGE]);
    println!("left over: ours {ours:.1} N, OpenSim's {theirs:.1} N of {span:.0} N");
    assert!((ours - theirs).abs() < 0.01 * span);
}

/// After OpenSim made the motion consistent with the plates (RRA), the motion alone gives the force without any filter.
#[test]
fn a_consistent_motion_gives_the_force() {
    let (Some(model), Some(motion), Some(grf)) = (
        model("rra_reference/subject01_simbody_adjusted.osim"),
        table("rra_reference/subject01_walk1_RRA_Kinematics_q.sto"),
        table("subject01_walk1_grf.mot"),
    ) else {
        return;
    };
    let forces = GroundForces::from_table(&grf).unwrap();
    let got = predicted(&model, &motion, |x, _| x.to_vec());
    let want = measured(&forces, &got.time, |x, _| x.to_vec());
    let (off, span) = compare(&vertical(&got.force), &vertical(&want), EDGE);
    println!("vertical: {off:.1} N of {span:.0} N, {:.1} %", 100.0 * off / span);
    assert!(off / span < 0.03, "{}", off / span);
}

/// Generalized forces of all coordinates with the measured wrenches on the feet, by coordinate and frame.
fn inverse_dynamics(model: &Model, ik: &Table, forces: &GroundForces, order: usize) -> Vec<Vec<f64>> {
    let (figure, forest) = (&model.figure, model.figure.forest());
    let n = ik.rows();
    let dt = (ik.time[n - 1] - ik.time[0]) / (n - 1) as f64;
    let column = |c: &osim::Coordinate| {
        let unit = if c.is_angle { PI / 180.0 } else { 1.0 };
        let x: Vec<f64> = ik.column(ik.find(&c.name).unwrap()).map(|x| unit * x).collect();
        let x = low_pass(&x, order, 6.0, 1.0 / dt);
        let (v, a) = derivatives(&x, dt);
        [x, v, a]
    };
    let columns: Vec<[Vec<f64>; 3]> = model.coordinates.iter().map(column).collect();
    let mut list = vec![Vec::new(); model.coordinates.len()];
    let (mut k, mut work) = (Kinematics::default(), rnea::Work::default());
    for frame in 0..n {
        let [c, rates, second] = [0, 1, 2].map(|i| columns.iter().map(|x| x[i][frame]).collect::<Vec<f64>>());
        let q = model.pose(&c);
        let (v, a) = (model.velocity(&c, &rates), model.acceleration(&c, &rates, &second));
        k.update(forest, &q, None, None);
        let mut outer = vec![Force::default(); forest.bodies().len()];
        for (plate, foot) in ["calcn_r", "calcn_l"].into_iter().enumerate() {
            let body = forest.link_place(figure.find_link(foot).unwrap()).body;
            let wrench = forces.sample(plate, ik.time[frame]).unwrap();
            outer[body.index()] += wrench.about(k.body_pose(body).translation);
        }
        let mut tau = vec![0.0; forest.nv()];
        rnea::inverse_dynamics(forest, &q, &v, &a, Some(&outer), &mut work, &mut tau);
        model.forces(&c, &tau).into_iter().zip(&mut list).for_each(|(f, list)| list.push(f));
    }
    list
}

#[test]
fn joint_moments_with_the_measured_forces() {
    let Some((model, ik, forces, reference)) = walk() else { return };
    // OpenSim's filter of 6 Hz is of third order each way, and leaves the plates as they are
    let moments = inverse_dynamics(&model, &ik, &forces, 6);
    for (c, got) in model.coordinates.iter().zip(&moments) {
        let label = format!("{}_{}", c.name, if c.is_angle { "moment" } else { "force" });
        let want: Vec<f64> = reference.column(reference.find(&label).unwrap()).collect();
        let (off, span) = compare(got, &want, EDGE);
        println!("{label}: {off:.3} of {span:.1}");
        // moments above the knees equal OpenSim's; the others differ because the knee does not slide here
        let most = match c.joint.as_str() {
            "back" => 0.01,
            "ground_pelvis" => 0.07 * span,
            _ => 0.025 * span + 0.01,
        };
        assert!(off < most, "{label}: {off} of {span}");
    }
}
