//! Captured motions carried over to our figures and to robots.
//!
//! Data: `shared/data` beside the repository (see the README there); those tests are skipped when it is absent.

use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Transform, Vec3};
use anthropi_io::{builtin, bvh, load};
use anthropi_motion::Clip;
use anthropi_motion::anatomy::{Anatomy, Part, Side, of_figure};
use anthropi_motion::ik::beyond_limits;
use anthropi_motion::recording::Recording;
use anthropi_motion::retarget::{Options, Report, Retargeted, Scale, Stance, retarget};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

fn data(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    path.exists().then_some(path)
}

/// The skeleton of a recording as a figure: a link a bone, a free root, ball joints; and its motion.
fn clip(recording: &Recording) -> Clip {
    let mut b = FigureBuilder::new(&recording.name);
    let mut links: Vec<LinkHandle> = Vec::new();
    for bone in &recording.skeleton.bones {
        let kind = if bone.parent.is_none() { JointKind::Free } else { JointKind::Spherical };
        let mut joint = JointSpec::new(format!("{} joint", bone.name), kind);
        joint.parent = bone.parent.map(|p| links[p]);
        joint.parent_from_joint = Transform::translation(bone.offset);
        if bone.parent.is_none() {
            joint.parent_from_joint = Transform::identity();
        }
        let shape = Shape::Sphere { radius: 1e-3 };
        let place = Transform::translation(bone.end.unwrap_or(Vec3::ZERO));
        let mut link = LinkSpec::new(&bone.name, place * shape.inertia(1000.0).unwrap());
        link.shapes.push(PlacedShape { shape, link_from_shape: place });
        links.push(b.add(link, joint).unwrap());
    }
    let figure = Arc::new(b.build().unwrap());
    let n = recording.skeleton.bones.len();
    let mut q = vec![0.0; figure.forest().nq() * recording.frames()];
    for (frame, pose) in q.chunks_exact_mut(figure.forest().nq()).enumerate() {
        for bone in 0..n {
            let joint = figure.link(links[bone]).unwrap().joint();
            let place = figure.forest().joint_place(joint);
            let turn = recording.rotations_at(frame)[bone].0;
            let at = recording.positions_at(frame)[bone].to_array();
            let own = &mut pose[place.iq..place.iq + place.nq];
            own[place.nq - 4..].copy_from_slice(&turn);
            if place.nq == 7 {
                own[..3].copy_from_slice(&at);
            }
        }
    }
    Clip::new(recording.name.clone(), figure, recording.dt, q).unwrap()
}

fn captured(name: &str) -> Option<Clip> {
    let path = data(&format!("bvh/{name}.bvh"))?;
    Some(clip(&bvh::read(&std::fs::read_to_string(path).unwrap(), name).unwrap()))
}

/// Joint of a part in the pose declared.
fn at(figure: &Figure, anatomy: &Anatomy, part: Part) -> Vec3 {
    let (handle, link) = figure.links().nth(anatomy.find(part).unwrap()).unwrap();
    figure.home_pose(handle).point(figure.joint(link.joint()).unwrap().child_from_joint.translation)
}

/// Height of a captured person standing straight: its legs are splayed at rest.
fn stature(figure: &Figure, anatomy: &Anatomy) -> f64 {
    let side = Side::Left;
    let [hip, knee, ankle] =
        [Part::Thigh(side), Part::Shank(side), Part::Foot(side)].map(|p| at(figure, anatomy, p));
    let top =
        figure.links().map(|(h, l)| figure.home_pose(h).point(l.spec.shapes[0].link_from_shape.translation));
    let top = top.map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
    (top - hip.z) + (hip - knee).norm() + (knee - ankle).norm() + 0.045 * (top - hip.z + 0.9)
}

fn own(name: &str, height: f64) -> Arc<Figure> {
    Arc::new(builtin::figure(name).unwrap().unwrap().figure.scaled(Some(height), None).unwrap())
}

fn run(source: &Clip, target: &Arc<Figure>, stances: &[Stance], scale: Scale) -> (Retargeted, f64) {
    let from = of_figure(source.figure(), &[]).unwrap();
    let to = of_figure(target, &[]).unwrap();
    let options = Options { scale, ..Options::default() };
    let start = Instant::now();
    let done = retarget(source, &from, target.clone(), &to, stances, &options).unwrap();
    let rate = source.frames() as f64 / start.elapsed().as_secs_f64();
    (done, rate)
}

fn tell(what: &str, report: &Report, rate: f64) -> String {
    let ends = report.ends.iter().map(|e| format!("{} {:.1}/{:.1} mm", e.part, 1e3 * e.rms, 1e3 * e.max));
    let limits = report.limits.iter().take(6).map(|l| format!("{} {:.0} %", l.dof, 100.0 * l.frames));
    format!(
        "{what}: {rate:.0} frames/s, {:.1} steps, ratio {:.3}, slip {:.3} mm, jump {:?}\n  {}\n  {}\n",
        report.iterations,
        report.ratio,
        1e3 * report.slip,
        report.jump,
        ends.collect::<Vec<_>>().join(", "),
        limits.collect::<Vec<_>>().join(", "),
    )
}

#[test]
fn table() {
    for name in ["02_01", "49_06"] {
        let Some(source) = captured(name) else { return };
        let anatomy = of_figure(source.figure(), &[]).unwrap();
        let height = stature(source.figure(), &anatomy);
        let mut jumps: Vec<(f64, String, usize)> = Vec::new();
        let names = source.figure().dof_names();
        let mut way = vec![0.0; names.len()];
        for f in 1..source.frames() {
            anthropi_motion::pose::difference(
                source.figure().forest(),
                source.pose(f - 1),
                source.pose(f),
                &mut way,
            );
            for (i, w) in way.iter().enumerate() {
                jumps.push((w.abs(), names[i].clone(), f));
            }
        }
        jumps.sort_by(|a, b| b.0.total_cmp(&a.0));
        println!("{name}: stature {height:.3} {:?} {:?}", anatomy.notes, &jumps[..4]);
        for target in ["human-28"] {
            let target = own(target, height);
            let (done, rate) = run(&source, &target, &[], Scale::Keep);
            print!("{}", tell(&format!("keep {}", target.name), &done.report, rate));
            let (done, rate) = run(&source, &target, &[], Scale::ToFigure);
            print!("{}", tell(&format!("scale {}", target.name), &done.report, rate));
        }
        for robot in ["urdf/g1_29dof_rev_1_0.urdf"] {
            let target =
                Arc::new(load::figure(&data(robot).unwrap()).unwrap().figure.with_free_base().unwrap());
            let (done, rate) = run(&source, &target, &[], Scale::ToFigure);
            print!("{}", tell(robot, &done.report, rate));
            let worst = (0..done.clip.frames())
                .map(|f| beyond_limits(&target, done.clip.pose(f)))
                .fold(0.0, f64::max);
            println!("  beyond limits {worst:e}");
        }
    }
    let _ = Kinematics::<f64>::default();
}
