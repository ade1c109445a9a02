//! Recognition of body parts in real skeletons and figures, with and without names.
//!
//! Data: `shared/data` beside the repository; without it the tests report that they are skipped.

use anthropi_app::builtin;
use anthropi_dynamics::model::Figure;
use anthropi_formats::{acclaim, bvh, load};
use anthropi_motion::anatomy::{
    Anatomy, Node, Part, Side, from_figure, from_recording, from_skeleton, nodes_of_figure, recognise,
};
use anthropi_motion::recording::Skeleton;
use std::path::PathBuf;
use testkit::data;

fn skeletons() -> Vec<(String, Skeleton)> {
    let mut all = Vec::new();
    for folder in ["bvh", "bvh_other", "asfamc"] {
        let Some(folder) = data(folder) else { continue };
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
        files.sort();
        for file in files {
            let name = file.file_name().unwrap().to_string_lossy().to_string();
            let text = std::fs::read_to_string(&file).unwrap();
            match file.extension().and_then(|e| e.to_str()) {
                Some("bvh") => all.push((name.clone(), bvh::read(&text, &name).unwrap().skeleton)),
                Some("asf") => all.push((
                    name.clone(),
                    acclaim::read_at_rest(&text, &name, &acclaim::Options::default()).unwrap().skeleton,
                )),
                _ => {}
            }
        }
    }
    all
}

fn robots() -> Vec<(String, Figure)> {
    let names = [
        "urdf/humanSubject01_48dof.urdf",
        "urdf/g1_29dof_rev_1_0.urdf",
        "urdf/simple_humanoid.urdf",
        "mjcf/g1_29dof_rev_1_0.nomesh.xml",
        "mjcf/humanoid_CMU.xml",
    ];
    names.iter().filter_map(|n| Some((n.to_string(), load::figure(&data(n)?).unwrap().figure))).collect()
}

fn own_figures() -> Vec<(String, Figure)> {
    builtin::FIGURES
        .iter()
        .map(|b| (b.name.into(), builtin::figure(b.name).unwrap().unwrap().figure))
        .collect()
}

fn link_names(figure: &Figure) -> Vec<String> {
    figure.links().map(|(_, l)| l.spec.name.clone()).collect()
}

fn list(names: &[String], anatomy: &Anatomy) -> String {
    let line = |i: usize| {
        let part = anatomy.parts[i].map_or("-".into(), |p| p.to_string());
        format!("{:28} {part:18} {:.2}\n", names[i], anatomy.confidence[i])
    };
    (0..names.len()).map(line).collect::<String>() + &anatomy.notes.join("\n")
}

/// Body parts of the CMU skeletons, by name.
const CMU: [(&str, &str, Part); 9] = [
    ("Hips", "root", Part::Pelvis),
    ("Spine1", "thorax", Part::Chest),
    ("Head", "head", Part::Head),
    ("LeftUpLeg", "lfemur", Part::Thigh(Side::Left)),
    ("LeftLeg", "ltibia", Part::Shank(Side::Left)),
    ("LeftFoot", "lfoot", Part::Foot(Side::Left)),
    ("RightArm", "rhumerus", Part::UpperArm(Side::Right)),
    ("RightForeArm", "rradius", Part::Forearm(Side::Right)),
    ("RightHand", "rwrist", Part::Hand(Side::Right)),
];

#[test]
fn captured_skeletons_are_recognised() {
    for (name, skeleton) in skeletons() {
        let anatomy = from_skeleton(&skeleton, &[]).unwrap();
        let names: Vec<String> = skeleton.bones.iter().map(|b| b.name.clone()).collect();
        assert!(anatomy.is_human(), "{name}\n{}", list(&names, &anatomy));
        for (bvh, asf, part) in CMU {
            let Some(bone) = skeleton.find(bvh).or(skeleton.find(asf)) else { continue };
            assert_eq!(anatomy.find(part), Some(bone), "{name}: {part}\n{}", list(&names, &anatomy));
        }
        if !name.starts_with("bandai") {
            assert!(anatomy.confidence.iter().all(|c| *c >= 0.6), "{name}\n{}", list(&names, &anatomy));
            assert!(anatomy.notes.is_empty(), "{name}: {:?}", anatomy.notes);
        }
    }
}

#[test]
fn the_rest_pose_need_not_be_upright() {
    let Some(path) = data("bvh_other/bandai_dataset-2_run_normal_027.bvh") else { return };
    let recording = bvh::read(&std::fs::read_to_string(path).unwrap(), "bandai").unwrap();
    let names: Vec<String> = recording.skeleton.bones.iter().map(|b| b.name.clone()).collect();
    let anatomy = from_recording(&recording, &[]).unwrap();
    assert_eq!(anatomy.parts[0], None, "the root that stays is no part of the body");
    for (bone, part) in
        [("Hips", Part::Pelvis), ("LowerLeg_L", Part::Shank(Side::Left)), ("Chest", Part::Chest)]
    {
        let bone = recording.skeleton.find(bone);
        assert_eq!(anatomy.find(part), bone, "{}", list(&names, &anatomy));
    }
    let sum = |a: &Anatomy| a.confidence.iter().sum::<f64>();
    let lying = from_skeleton(&recording.skeleton, &[]).unwrap();
    assert!(anatomy.is_human() && sum(&anatomy) >= sum(&lying), "{}", list(&names, &anatomy));
}

/// Number of main parts recognised by shape alone as by name.
fn found_by_shape(with: &Anatomy, without: &Anatomy) -> (usize, usize) {
    let main: Vec<Part> = Part::main().filter(|p| with.find(*p).is_some()).collect();
    (main.iter().filter(|p| with.find(**p) == without.find(**p)).count(), main.len())
}

#[test]
fn shape_without_names_is_enough() {
    let mut scores = Vec::new();
    for (name, skeleton) in skeletons() {
        if name.starts_with("bandai") {
            continue;
        }
        let mut nameless = skeleton.clone();
        nameless.bones.iter_mut().enumerate().for_each(|(i, b)| b.name = format!("J{i}"));
        let (with, without) =
            (from_skeleton(&skeleton, &[]).unwrap(), from_skeleton(&nameless, &[]).unwrap());
        scores.push((name, found_by_shape(&with, &without)));
    }
    for (name, figure) in own_figures().into_iter().chain(robots()) {
        let (names, nodes) = (link_names(&figure), nodes_of_figure(&figure).unwrap());
        let words: Vec<String> = (0..names.len()).map(|i| format!("J{i}")).collect();
        let nameless: Vec<Node> = nodes.iter().zip(&words).map(|(n, w)| Node { name: w, ..*n }).collect();
        let (with, without) = (from_figure(&figure, &[]).unwrap(), recognise(&nameless, &[]).unwrap());
        scores.push((name, found_by_shape(&with, &without)));
    }
    let (right, all) = scores.iter().fold((0, 0), |(a, b), (_, (x, y))| (a + x, b + y));
    assert!(right as f64 >= 0.9 * all as f64, "{right} of {all}: {scores:?}");
    for (name, (right, all)) in &scores {
        assert!(*right as f64 >= 0.6 * *all as f64, "{name}: {right} of {all}: {scores:?}");
    }
}

#[test]
fn built_in_figures_match_their_names() {
    for (name, figure) in own_figures() {
        let anatomy = from_figure(&figure, &[]).unwrap();
        for (i, link) in link_names(&figure).iter().enumerate() {
            let part = anatomy.parts[i].map(|p| p.to_string());
            assert_eq!(part.as_deref(), Some(link.as_str()), "{name}");
        }
        assert!(anatomy.is_human() && anatomy.notes.is_empty(), "{name}: {:?}", anatomy.notes);
    }
}

#[test]
fn robots_are_recognised() {
    use Part::*;
    let (left, right) = (Side::Left, Side::Right);
    for (name, figure) in robots() {
        let (anatomy, names) = (from_figure(&figure, &[]).unwrap(), link_names(&figure));
        let is = |part: Part, first: &str, last: &str| {
            let found = [anatomy.find(part), anatomy.last(part)].map(|i| i.map_or("-", |i| &names[i]));
            assert_eq!(found, [first, last], "{name}: {part}\n{}", list(&names, &anatomy));
        };
        if name.contains("g1") {
            is(Thigh(left), "left_hip_pitch_link", "left_hip_yaw_link");
            is(Shank(right), "right_knee_link", "right_knee_link");
            is(Foot(left), "left_ankle_pitch_link", "left_ankle_roll_link");
            is(UpperArm(right), "right_shoulder_pitch_link", "right_shoulder_yaw_link");
            is(Chest, "torso_link", "torso_link");
        } else if name.contains("humanSubject") {
            is(Chest, "T8_f1", "T8");
            is(UpperArm(left), "LeftUpperArm_f1", "LeftUpperArm");
            is(Hand(left), "LeftHand_f1", "LeftHand");
            is(Toes(right), "RightToe", "RightToe");
        } else if name.contains("simple") {
            assert_eq!(anatomy.missing(), [Head]);
            is(Thigh(left), "LLEG_LINK1", "LLEG_LINK2");
            // the thigh twist joint is at the knee
            is(Shank(left), "LLEG_LINK3", "LLEG_LINK4");
            is(Foot(left), "LLEG_LINK5", "l_ankle");
        } else {
            is(Pelvis, "root", "root");
            is(Chest, "thorax/thoraxrz", "thorax");
            is(Hand(left), "lwrist", "lhand");
        }
    }
}

#[test]
fn what_the_user_says_is_read() {
    let text = "[parts]\n\"LeftUpLeg\" = \"left_thigh\"\n\"Bone.012\" = \"head\"\n";
    let mut read = anthropi_formats::anatomy::read(text, "p.toml").unwrap();
    read.sort();
    assert_eq!(read, [("Bone.012".into(), Part::Head), ("LeftUpLeg".into(), Part::Thigh(Side::Left))]);
    for (text, expected) in [
        ("[parts]\na = \"left_tail\"", "p.toml:2:5: a of parts: is \"left_tail\""),
        ("[parts]\na = 3", "p.toml:2:5: a of parts: is a"),
        ("[part]\n", "p.toml:1:2: part: unknown key"),
        ("[parts\n", "p.toml:1:"),
        ("", "parts: is missing"),
    ] {
        let error = anthropi_formats::anatomy::read(text, "p.toml").unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
