//! Captured motions retargeted to our figures and to robots.
//!
//! Data: `shared/data` beside the repository (see the README there); those tests are skipped when it is absent.

use anthropi_app::builtin;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Transform, Vec3, vec3};
use anthropi_formats::{bvh, load};
use anthropi_motion::Clip;
use anthropi_motion::anatomy::{Anatomy, Part, Side, from_figure};
use anthropi_motion::contact_schedule::intervals;
use anthropi_motion::ik::beyond_limits;
use anthropi_motion::pose;
use anthropi_motion::recording::Recording;
use anthropi_motion::retarget::{ContactHold, Options, Report, Retargeted, Scale, retarget};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use testkit::data;

/// The skeleton of a recording as a figure (one link per bone, free root, ball joints) with its motion.
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
            let own = &mut pose[place.coordinates()];
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

/// Joint position of a part in the home pose.
fn at(figure: &Figure, anatomy: &Anatomy, part: Part) -> Vec3 {
    let (handle, link) = figure.links().nth(anatomy.find(part).unwrap()).unwrap();
    figure.home_pose(handle).point(figure.joint(link.joint()).unwrap().child_from_joint.translation)
}

/// Standing height of a captured person; its legs are splayed at rest.
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

fn run(source: &Clip, target: &Arc<Figure>, contacts: &[ContactHold], scale: Scale) -> (Retargeted, f64) {
    let from = from_figure(source.figure(), &[]).unwrap();
    let to = from_figure(target, &[]).unwrap();
    let options = Options { scale, ..Options::default() };
    let start = Instant::now();
    let done = retarget(source, &from, target.clone(), &to, contacts, &options).unwrap();
    let rate = source.frames() as f64 / start.elapsed().as_secs_f64();
    (done, rate)
}

fn summary(what: &str, report: &Report, rate: f64) -> String {
    let ends = report.ends.iter().map(|e| format!("{} {:.1}/{:.1} mm", e.part, 1e3 * e.rms, 1e3 * e.max));
    let limits = report.limits.iter().take(6).map(|l| format!("{} {:.0} %", l.dof, 100.0 * l.frames));
    format!(
        "{what}: {rate:.0} frames/s, ratio {:.3}, slip {:.3} mm\n  {}\n  {}\n",
        report.ratio,
        1e3 * report.slip,
        ends.collect::<Vec<_>>().join(", "),
        limits.collect::<Vec<_>>().join(", "),
    )
}

/// Largest rotation of a joint between frames, except fingers and thumbs, which have no data and flip.
fn largest_rotation(clip: &Clip) -> f64 {
    let (figure, mut largest) = (clip.figure(), 0.0_f64);
    let names = figure.dof_names();
    let mut way = vec![0.0; names.len()];
    let counts = |name: &str| !["Thumb", "Finger", "Index"].iter().any(|w| name.contains(w));
    for frame in 1..clip.frames() {
        pose::difference(figure.forest(), clip.pose(frame - 1), clip.pose(frame), &mut way);
        let turns = way.iter().zip(&names).filter(|(_, n)| counts(n)).map(|(w, _)| w.abs());
        largest = turns.fold(largest, f64::max);
    }
    largest
}

fn largest_excess(clip: &Clip) -> f64 {
    (0..clip.frames()).map(|f| beyond_limits(clip.figure(), clip.pose(f))).fold(0.0, f64::max)
}

/// Positions of a point of a link in all frames.
fn track(clip: &Clip, link: LinkHandle, point: Vec3) -> Vec<Vec3> {
    let mut kinematics = Kinematics::default();
    let place = |f: usize| {
        kinematics.update(clip.figure().forest(), clip.pose(f), None, None);
        kinematics.link_pose(clip.figure().forest(), link).point(point)
    };
    (0..clip.frames()).map(place).collect()
}

/// Contacts by the speed of the toes.
fn contacts(clip: &Clip) -> Vec<ContactHold> {
    const SLOW: f64 = 0.35;
    let mut all = Vec::new();
    for (name, side) in [("LeftToeBase", Side::Left), ("RightToeBase", Side::Right)] {
        let toes = track(clip, clip.figure().find_link(name).unwrap(), Vec3::ZERO);
        let stands: Vec<bool> = toes.windows(2).map(|w| (w[1] - w[0]).norm() < SLOW * clip.dt()).collect();
        let long = intervals(&stands).into_iter().filter(|stance| stance.len() > 12);
        let hold =
            |s: Range<usize>| ContactHold { part: Part::Foot(side), point: None, from: s.start, to: s.end };
        all.extend(long.map(hold));
    }
    all
}

fn robot(path: &str) -> Option<Arc<Figure>> {
    Some(Arc::new(load::figure(&data(path)?).unwrap().figure.with_free_base().unwrap()))
}

#[test]
fn walks_keep_world_positions_on_another_body() {
    for name in ["02_01", "16_15", "35_01"] {
        let Some(source) = captured(name) else { return };
        let anatomy = from_figure(source.figure(), &[]).unwrap();
        let target = own("human-28", stature(source.figure(), &anatomy));
        let (done, rate) = run(&source, &target, &[], Scale::Keep);
        let text = summary(name, &done.report, rate);
        println!("{text}");
        assert_eq!(done.report.ends.len(), 5);
        assert!(done.report.ends.iter().all(|e| e.max < MAX_ERROR && e.rms < 0.25 * MAX_ERROR), "{text}");
        // reported errors of the ankles against forward kinematics
        for (bone, link, part) in [
            ("LeftFoot", "left_foot", Part::Foot(Side::Left)),
            ("RightFoot", "right_foot", Part::Foot(Side::Right)),
        ] {
            let wanted = track(&source, source.figure().find_link(bone).unwrap(), Vec3::ZERO);
            let got = track(&done.clip, target.find_link(link).unwrap(), Vec3::ZERO);
            let worst = wanted.iter().zip(&got).map(|(a, b)| (*a - *b).norm()).fold(0.0, f64::max);
            let end = done.report.ends.iter().find(|e| e.part == part).unwrap();
            assert!((worst - end.max).abs() < 1e-9, "{worst} {text}");
        }
        assert!(largest_excess(&done.clip) < MAX_VIOLATION, "{:e}", largest_excess(&done.clip));
        let (before, after) = (largest_rotation(&source), largest_rotation(&done.clip));
        assert!(after < 1.1 * before + 0.02, "jumps by {after} rad, the source by {before} rad\n{text}");
        assert!(cfg!(debug_assertions) || rate > 200.0, "{text}");
    }
}

/// Largest position error, m.
const MAX_ERROR: f64 = 0.02;
/// Largest limit violation, rad.
const MAX_VIOLATION: f64 = 1e-9;
/// Largest slip of a held foot between frames, m.
const MAX_SLIP: f64 = 1e-3;

#[test]
fn held_feet_do_not_slip() {
    let Some(source) = captured("02_01") else { return };
    let contacts = contacts(&source);
    assert!(contacts.len() >= 4, "{contacts:?}");
    let targets =
        [robot("urdf/g1_29dof_rev_1_0.urdf"), Some(own("human-28", 1.7)), Some(own("human-40", 1.6))];
    for target in targets.into_iter().flatten() {
        let anatomy = from_figure(&target, &[]).unwrap();
        // a point below the ankle
        let link = |part| target.links().nth(anatomy.last(part).unwrap()).unwrap().0;
        let point = vec3(0.05, 0.0, -0.04);
        let contacts: Vec<ContactHold> =
            contacts.iter().map(|s| ContactHold { point: Some(point), ..*s }).collect();
        let (held, rate) = run(&source, &target, &contacts, Scale::ToFigure);
        let (free, _) = run(&source, &target, &[], Scale::ToFigure);
        println!("{}", summary(&target.name, &held.report, rate));
        let slip = |clip: &Clip| {
            let mut slip = 0.0_f64;
            for s in &contacts {
                let way = track(clip, link(s.part), point);
                slip = way[s.from..s.to].windows(2).map(|w| (w[1] - w[0]).norm()).fold(slip, f64::max);
            }
            slip
        };
        let (with, without) = (slip(&held.clip), slip(&free.clip));
        assert!(with < MAX_SLIP && with < 0.5 * without, "{}: {with} m, {without} m when free", target.name);
        assert!((held.report.slip - with).abs() < 1e-9, "reported {}", held.report.slip);
        assert!(largest_excess(&held.clip) < MAX_VIOLATION);
        let (a, b) = (largest_rotation(&held.clip), largest_rotation(&free.clip));
        assert!(a < b + 0.05, "{}: jumps by {a} rad with contacts, {b} rad without", target.name);
    }
}

#[test]
fn steps_scale_with_leg_length() {
    let Some(source) = captured("02_01") else { return };
    let target = own("human-40", 1.2);
    let (done, rate) = run(&source, &target, &[], Scale::ToFigure);
    let text = summary("1.2 m", &done.report, rate);
    let travel = |clip: &Clip, root: &str| {
        let way = track(clip, clip.figure().find_link(root).unwrap(), Vec3::ZERO);
        let d = way[way.len() - 1] - way[0];
        (d.x * d.x + d.y * d.y).sqrt()
    };
    let ratio = travel(&done.clip, "pelvis") / travel(&source, "Hips");
    assert!((ratio - done.report.ratio).abs() < 0.02, "{ratio} {text}");
    assert!(done.report.ratio < 0.75 && done.report.ends.iter().all(|e| e.rms < 0.02), "{text}");
}

#[test]
fn retargeting_to_the_own_figure_is_the_identity() {
    let Some(source) = captured("35_01") else { return };
    let nq = source.figure().forest().nq();
    let few =
        Clip::new("few", source.figure().clone(), source.dt(), source.poses()[..20 * nq].to_vec()).unwrap();
    let (done, rate) = run(&few, source.figure(), &[], Scale::ToFigure);
    let text = summary("itself", &done.report, rate);
    assert!((done.report.ratio - 1.0).abs() < 1e-12);
    assert!(done.report.ends.iter().all(|e| e.max < 1e-4), "{text}");
    for name in ["Hips", "LeftLeg", "RightForeArm", "Head", "Spine1"] {
        let link = source.figure().find_link(name).unwrap();
        for point in [Vec3::ZERO, vec3(0.1, 0.2, 0.3)] {
            let (a, b) = (track(&few, link, point), track(&done.clip, link, point));
            let worst = a.iter().zip(&b).map(|(a, b)| (*a - *b).norm()).fold(0.0, f64::max);
            assert!(worst < 1e-3, "{name}: {worst} m\n{text}");
        }
    }
}

#[test]
fn other_humanoids_track_the_motion() {
    let Some(source) = captured("16_15") else { return };
    for path in ["urdf/humanSubject01_48dof.urdf", "urdf/simple_humanoid.urdf", "mjcf/humanoid_CMU.xml"] {
        let Some(target) = robot(path) else { continue };
        let nq = source.figure().forest().nq();
        let some: Vec<f64> = source.poses().chunks_exact(nq).skip(10).step_by(8).flatten().copied().collect();
        let some = Clip::new("some", source.figure().clone(), 8.0 * source.dt(), some).unwrap();
        let (done, rate) = run(&some, &target, &[], Scale::ToFigure);
        let text = summary(path, &done.report, rate);
        println!("{text}");
        assert!(largest_excess(&done.clip) < MAX_VIOLATION, "{text}");
        let feet = done.report.ends.iter().filter(|e| matches!(e.part, Part::Foot(_)));
        assert!(feet.clone().count() == 2 && feet.clone().all(|e| e.rms < 0.03), "{text}");
    }
}

#[test]
fn impossible_requests_are_refused() {
    let source = own("human-16", 1.7);
    let pose = source.forest().home().to_vec();
    let clip = Clip::new("still", source.clone(), 0.1, pose).unwrap();
    let anatomy = from_figure(&source, &[]).unwrap();
    let target = own("human-40", 1.7);
    let error = |anatomy: &Anatomy, to: &Anatomy, contacts: &[ContactHold]| {
        let done = retarget(&clip, anatomy, target.clone(), to, contacts, &Options::default());
        done.map(|_| ()).unwrap_err().to_string()
    };
    let to = from_figure(&target, &[]).unwrap();
    assert!(error(&anatomy, &anatomy, &[]).contains("anatomy of `human-40`"));
    let stance = ContactHold { part: Part::Foot(Side::Left), point: None, from: 0, to: 5 };
    assert!(error(&anatomy, &to, &[stance]).contains("held contact of left_foot"));
    let stance = ContactHold { part: Part::Chest, point: None, from: 0, to: 1 };
    assert!(error(&anatomy, &to, &[stance]).contains("no such foot or hand"));
    let mut legless = anatomy.clone();
    legless.parts.iter_mut().filter(|p| **p == Some(Part::Shank(Side::Left))).for_each(|p| *p = None);
    assert!(error(&legless, &to, &[]).contains("left_shank"));
}
