//! Ground forces of each foot from the motion alone, against force plates: four measured walks of two people.
//!
//! The motions are OpenSim's inverse kinematics; each plate is compared with the foot that is nearest to its centre of
//! pressure. Forces count in body weights, since a model need not have the mass of its person: estimates are scaled to the
//! mean load of the plates. Plates go through the low-pass of the motion.

use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::Vec3;
use anthropi_formats::{osim, sto};
use anthropi_motion::inverse::{Inverse, Options};
use anthropi_motion::plates::GroundForces;
use anthropi_motion::smooth;
use std::ops::Range;

/// Frames in which a foot carries more count, N.
const LOADED: f64 = 20.0;
/// Errors, means of the walks: fore-aft, sideways, up. Measured 0.092, 0.177 and 0.039; frame by frame, with the least forces,
/// they were 0.207, 0.222 and 0.045.
const MOST: [f64; 3] = [0.095, 0.18, 0.04];
/// Jumps against those of the plates; frame by frame they were 1.2 to 2.7 times as large.
const MOST_JUMP: f64 = 1.2;

/// A walk: model, motion, plates, and the frames in which the plates see all contacts and accelerations are good.
struct Walk {
    model: &'static str,
    motion: String,
    plates: String,
    frames: Range<usize>,
}

fn walks() -> Vec<Walk> {
    let model = "opencap/Models/final.osim";
    let opencap = (2..5).map(|k| Walk {
        model,
        motion: format!("opencap/IK/walking{k}_ik.mot"),
        plates: format!("opencap/ID/walking{k}_grf.mot"),
        frames: 15..126,
    });
    let gait2354 = Walk {
        model: "gait2354/subject01_simbody.osim",
        motion: "gait2354/subject01_walk1_ik.mot".into(),
        plates: "gait2354/subject01_walk1_grf.mot".into(),
        frames: 3..70,
    };
    opencap.chain([gait2354]).collect()
}

fn read(name: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(testkit::data(&format!("opensim/{name}"))?).expect("a readable file"))
}

/// Force of each plate in each frame, filtered.
fn measured(forces: &GroundForces, inverse: &Inverse) -> Vec<Vec<Vec3>> {
    let clip = &inverse.trajectory.clip;
    let (plates, last) = (forces.names.len(), forces.time.len() - 1);
    let rate = last as f64 / (forces.time[last] - forces.time[0]);
    let mut values: Vec<f64> = forces.wrenches.iter().flat_map(|w| w.force.to_array()).collect();
    smooth::low_pass(&mut values, 3 * plates, rate, inverse.cutoff.hz.expect("a cut-off"));
    let at = |plate: usize, frame: usize| {
        let s = ((clip.time(frame) - forces.time[0]) * rate).clamp(0.0, last as f64);
        let k = (s as usize).min(last - 1);
        let value = |k: usize| Vec3::from_array(&[0, 1, 2].map(|a| values[3 * (plates * k + plate) + a]));
        value(k).scale(1.0 - (s - k as f64)) + value(k + 1).scale(s - k as f64)
    };
    (0..plates).map(|plate| (0..clip.frames()).map(|frame| at(plate, frame)).collect()).collect()
}

/// Mean distance of a loaded plate's centre of pressure from a foot, m.
fn distance(
    inverse: &Inverse,
    forces: &GroundForces,
    plate: usize,
    foot: LinkHandle,
    frames: &Range<usize>,
) -> f64 {
    let schedule = &inverse.schedule;
    let own: Vec<usize> = (0..schedule.points.len()).filter(|k| schedule.points[*k].link == foot).collect();
    let each = frames.clone().filter_map(|frame| {
        let wrench = forces.sample(plate, inverse.trajectory.clip.time(frame))?;
        let off = |k: &usize| Vec3 { z: 0.0, ..schedule.tracks[*k].middle(frame) - wrench.point }.norm();
        (wrench.force.z > 0.3 * inverse.weight()).then(|| own.iter().map(off).fold(f64::INFINITY, f64::min))
    });
    let each: Vec<f64> = each.collect();
    if each.is_empty() { f64::INFINITY } else { each.iter().sum::<f64>() / each.len() as f64 }
}

/// What a walk shows of its feet.
#[derive(Debug, Default)]
struct Shown {
    /// RMS errors while a foot is loaded, parts of the mean span of estimate and plate: fore-aft, sideways, up; both feet
    errors: [f64; 3],
    /// largest change of a foot's force from frame to frame, body weights: estimated and measured
    jumps: [f64; 2],
}

fn compare(walk: &Walk) -> Option<Shown> {
    let text = String::from_utf8(read(walk.model)?).expect("text");
    let model = osim::read_model(&text, walk.model).expect("a model");
    let motion = sto::read(&read(&walk.motion)?, &walk.motion).expect("a motion");
    let (clip, _) = osim::clip(&model, &motion).expect("a clip");
    let table = sto::read(&read(&walk.plates)?, &walk.plates).expect("plates");
    let forces = GroundForces::from_table(&table).expect("forces");
    let inverse = Inverse::from_clip(&clip, &Options::default(), &mut |_| ()).expect("inverse dynamics");
    let plates = measured(&forces, &inverse);
    let frames = &walk.frames;
    let load: f64 = frames.clone().flat_map(|f| plates.iter().map(move |p| p[f].z)).sum();
    let scale = load / frames.clone().map(|f| inverse.frames[f].required.linear.z).sum::<f64>();
    let mut feet: Vec<LinkHandle> = Vec::new();
    for point in inverse.schedule.points.iter().filter(|p| p.site.is_foot()) {
        if !feet.contains(&point.link) {
            feet.push(point.link);
        }
    }
    let mut shown = Shown::default();
    for foot in &feet {
        let force = |f: usize| {
            let own = inverse.frames[f].contact_forces.iter().filter(|p| p.link == *foot);
            own.fold(Vec3::ZERO, |sum, p| sum + p.force).scale(scale)
        };
        let off = |plate: &usize| distance(&inverse, &forces, *plate, *foot, frames);
        let nearest = (0..plates.len()).min_by(|a, b| off(a).total_cmp(&off(b))).expect("a plate");
        let plate = &plates[nearest];
        let loaded: Vec<usize> =
            frames.clone().filter(|f| plate[*f].z > LOADED || force(*f).z > LOADED).collect();
        for axis in 0..3 {
            let squares = loaded.iter().map(|f| (force(*f) - plate[*f]).to_array()[axis].powi(2));
            let rms = (squares.sum::<f64>() / loaded.len() as f64).sqrt();
            let span = |of: &dyn Fn(usize) -> Vec3| {
                let values = loaded.iter().map(|f| of(*f).to_array()[axis]);
                let (least, most) = values.fold((f64::MAX, f64::MIN), |(l, m), x| (l.min(x), m.max(x)));
                most - least
            };
            let mean = 0.5 * (span(&force) + span(&|f| plate[f]));
            shown.errors[axis] += rms / mean / feet.len() as f64;
        }
        for f in frames.clone().skip(1) {
            let weight = scale * inverse.weight();
            let jump = [force(f) - force(f - 1), plate[f] - plate[f - 1]].map(|d| d.norm() / weight);
            shown.jumps = [0, 1].map(|k| jump[k].max(shown.jumps[k]));
        }
    }
    Some(shown)
}

#[test]
fn forces_of_each_foot_agree_with_plates() {
    let mut all = Vec::new();
    for walk in walks() {
        let Some(shown) = compare(&walk) else { return };
        let [x, y, z] = shown.errors.map(|e| 100.0 * e);
        println!("{}: up {z:.1} %, fore-aft {x:.1} %, sideways {y:.1} %", walk.motion);
        println!("  jumps {:.3}, of the plates {:.3} body weights", shown.jumps[0], shown.jumps[1]);
        all.push(shown);
    }
    let mean = [0, 1, 2].map(|axis| all.iter().map(|s| s.errors[axis]).sum::<f64>() / all.len() as f64);
    println!("mean: up {:.4}, fore-aft {:.4}, sideways {:.4}", mean[2], mean[0], mean[1]);
    for axis in 0..3 {
        assert!(mean[axis] < MOST[axis], "axis {axis}: {} is above {}", mean[axis], MOST[axis]);
    }
    for Shown { jumps, .. } in all {
        assert!(jumps[0] < MOST_JUMP * jumps[1], "{jumps:?}");
    }
}
