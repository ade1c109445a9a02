//! ASF and AMC: small files, the CMU walk against two BVH conversions of it, invalid and hostile texts.
//!
//! Data: `shared/data` beside the repository; without it the tests report that they are skipped.

use crate::{assert_messages, data_text, has_note, table, turn_between, world};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_formats::acclaim::{self, Options, skeleton_candidates};
use anthropi_formats::bvh;
use anthropi_motion::recording::{Recording, Up};
use testkit::mutation::{Random, mutated};

/// Unit of the CMU database, m.
const CMU: f64 = 0.0254 / 0.45;

const ASF: &str = "# a person of few bones
:version 1.10
:name small
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  nothing: to say
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name lshank
    direction 0 -2 0
    length 16
    axis 0 0 90 XYZ
    dof rx rz
    limits (-45.0 90.0)
           (-70.0 inf)
  end
  begin
    id 2
    name lfoot
    direction 0 0 1
    length 2
    axis 0 0 0 XYZ
  end
  begin
    name rshank
    direction 0 -1 0
    length 16
    axis 0 0 0 XYZ
    dof rz ry
  end
  begin
    name head
    direction 0 1 0
    length 10
    axis 30 40 50 ZYX
    dof rx ry rz
  end
  begin
    name lleg
    direction 0.6 -0.8 0
    length 1
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root lleg rshank head
    lleg lshank
    lshank lfoot
  end
";

const AMC: &str = "#!OML:ASF x
:FULLY-SPECIFIED
:DEGREES
1
root 1 17 3 0 0 0
lshank 0 0
rshank 0 0
head 0 0 0
2
head 10 20 30
root 1 17 4 10 20 30
rshank 90 90
lshank 90 0
";

fn read(amc: &str) -> Recording {
    acclaim::read(ASF, "s.asf", amc, "s_1.amc").unwrap_or_else(|e| panic!("{e}"))
}

fn error(asf: &str, amc: &str) -> String {
    match acclaim::read(asf, "s.asf", amc, "s_1.amc") {
        Ok(_) => panic!("was read:\n{asf}\n{amc}"),
        Err(e) => e.to_string(),
    }
}

fn about(axis: usize, degrees: f64) -> Quat {
    // y up: x of the file is our y, y our z, z our x
    let unit = [vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0), vec3(1.0, 0.0, 0.0)][axis];
    Quat::about(unit, degrees.to_radians())
}

fn same_turn(a: Quat, b: Quat) {
    let angle = turn_between(a, b);
    assert!(angle < 1e-12, "{a:?} {b:?} {angle:e}");
}

#[test]
fn a_small_skeleton_is_read() {
    let Recording { skeleton, notes, .. } = acclaim::read_at_rest(ASF, "s.asf", &Options::default()).unwrap();
    let names: Vec<&str> = skeleton.bones.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["root", "rshank", "head", "lleg", "lshank", "lfoot"]);
    let bone = |name: &str| &skeleton.bones[skeleton.find(name).unwrap()];
    // a joint is at the distal end of its parent's bone; directions need not be unit vectors
    assert_eq!(bone("lleg").offset, Vec3::ZERO);
    assert!((bone("lshank").offset - vec3(0.0, 0.6, -0.8).scale(CMU)).norm() < 1e-15);
    assert!((bone("lfoot").offset - vec3(0.0, 0.0, -16.0).scale(CMU)).norm() < 1e-15);
    assert!((bone("lfoot").end.unwrap() - vec3(2.0, 0.0, 0.0).scale(CMU)).norm() < 1e-15);
    assert!(bone("lshank").end.is_none() && bone("lleg").channels.is_empty());
    assert!(!notes.is_empty());
}

#[test]
fn a_small_motion_is_read() {
    let r = read(AMC);
    assert_eq!((r.frames(), r.dt, r.name.as_str()), (2, 1.0 / 120.0, "s_1"));
    assert_eq!((r.convention.unit, r.convention.up), (CMU, Up::Y));
    assert!(has_note(&r, "120 frames per second assumed"), "{:?}", r.notes);
    assert!(has_note(&r, "unit of length: 0.0564444 m, 1/0.45 inch, from the length"), "{:?}", r.notes);
    assert!((r.positions_at(1)[0] - vec3(4.0, 1.0, 17.0).scale(CMU)).norm() < 1e-15);
    let turn = |name: &str| r.rotations_at(1)[r.skeleton.find(name).unwrap()];
    // x first, about fixed axes
    same_turn(turn("root"), about(2, 30.0).then(about(1, 20.0)).then(about(0, 10.0)));
    // dofs in their own order: z first, then y
    same_turn(turn("rshank"), about(1, 90.0).then(about(2, 90.0)));
    // C R C^-1: its x axis is the y axis of the world
    same_turn(turn("lshank"), about(1, 90.0));
    let c = about(0, 30.0).then(about(1, 40.0)).then(about(2, 50.0));
    let inner = about(2, 30.0).then(about(1, 20.0)).then(about(0, 10.0));
    same_turn(turn("head"), c.then(inner).then(c.inverse()));
    assert!(r.rotations_at(0).iter().all(|q| q.log().norm() < 1e-15));
}

#[test]
fn options_units_and_radians_are_applied() {
    let options = Options { rate: Some(60.0), unit: Some(0.1), up: Some(Up::Z) };
    let r = acclaim::read_with(ASF, "s", AMC, "t", &options).unwrap();
    assert_eq!((r.dt, r.convention.unit, r.convention.up), (1.0 / 60.0, 0.1, Up::Z));
    assert!((r.positions_at(0)[0] - vec3(0.1, 1.7, 0.3)).norm() < 1e-15);
    let radians = AMC.replace(":DEGREES", ":RADIANS").replace("lshank 90 0", "lshank 1.5707963267948966 0");
    let lshank = r.skeleton.find("lshank").unwrap();
    same_turn(read(&radians).rotations_at(1)[lshank], about(1, 90.0));
    // the angle unit of the skeleton, for its axes and for motions that do not state one
    let asf = ASF.replace("angle deg", "angle rad").replace("0 0 90 XYZ", "0 0 1.5707963267948966 XYZ");
    let r = acclaim::read(&asf, "s", &radians.replace(":RADIANS\n", ""), "t").unwrap();
    same_turn(r.rotations_at(1)[lshank], about(1, 90.0));
    // an implausibly large length is ignored
    let r = acclaim::read(&ASF.replace("length 0.45", "length 0.01"), "s", AMC, "t").unwrap();
    assert_eq!(r.convention.unit, CMU);
    assert!(has_note(&r, "does not give a plausible leg length"), "{:?}", r.notes);
}

#[test]
fn missing_bones_and_frame_numbers_are_reported() {
    let r = read(&AMC.replace("head 0 0 0\n", "").replace("rshank 90 90\n", "").replace("\n2\n", "\n7\n"));
    assert!(has_note(&r, "missing in the first frame, zero assumed: head"), "{:?}", r.notes);
    assert!(has_note(&r, "frame 7 follows frame 1 in line 8"), "{:?}", r.notes);
    let rshank = r.skeleton.find("rshank").unwrap();
    same_turn(r.rotations_at(1)[rshank], Quat::IDENTITY);
    assert_eq!(read(&AMC.replace("head", "Head").replace("root", "ROOT")).rotations, read(AMC).rotations);
    let r = read(&AMC.replace("rshank 90 90\n", ""));
    assert!(has_note(&r, "keep their last values; first rshank in frame 2"), "{:?}", r.notes);
}

/// Replacements in [`ASF`], with the error they cause.
const ASF_ERRORS: &str = r#"
    length 0.45 | length 0 | s.asf:6:10: length: expected a number above zero
    angle deg | angle gon | s.asf:7:9: angle: expected deg or rad
    direction 0 -2 0 | direction 0 nan 0 | s.asf:19:17: direction of lshank: found `nan`, expected a finite number
    direction 0 -2 0 | direction 0 0 0 | lshank: its direction is zero
    length 16 |  | lshank: has no direction or no length
    dof rx rz | dof rx rw | s.asf:22:12: dof of lshank: found `rw`, expected rx, ry, rz, tx, ty, tz or l
    dof rx rz | dof rx rx | dof of lshank: `rx` twice
    90 XYZ | 90 XYY | s.asf:21:17: axis of lshank: found `XYY`, expected an order such as XYZ
    lshank lfoot | lshank lfingers | hierarchy: `lfingers` is not in :bonedata
    lshank lfoot |  | expected bone lfoot in :hierarchy
    lshank lfoot | lshank lfoot head | head: has two parents
    :hierarchy | :skin | found end of file, expected :hierarchy
    name lfoot | name lshank | lshank: duplicate bone name
"#;

/// Replacements in [`AMC`], with the error they cause.
const AMC_ERRORS: &str = r#"
    rshank 90 90 | rshank 90 | s_1.amc:12:10: rshank: has 1 value, expected 2, one per dof
    rshank 90 90 | rshank 90 inf | s_1.amc:12:11: rshank: found `inf`, expected a finite number
    rshank 90 90 | tail 90 90 | s_1.amc:12:1: bone: `tail` is not a bone of the skeleton
    rshank 90 90 | head 1 2 3 | frame 2: `head` twice
    1\nroot | root | s_1.amc:4:1: frame: found `root`, expected a frame number alone on its line
"#;

#[test]
fn errors_have_a_position() {
    assert_messages(
        table(ASF_ERRORS).map(|[from, to, want]| (error(&ASF.replacen(&from, &to, 1), AMC), want)),
    );
    assert_messages(
        table(AMC_ERRORS).map(|[from, to, want]| (error(ASF, &AMC.replacen(&from, &to, 1)), want)),
    );
    assert_messages([
        (error(ASF, ":DEGREES\n"), "s_1.amc:2:1: found end of file, expected frame numbers and values"),
        (error("", AMC), "s.asf:1:1: found end of file, expected :hierarchy"),
        (error(AMC, AMC), "expected :hierarchy"),
    ]);
}

#[test]
fn skeletons_are_found_in_a_folder() {
    let folder = ["02.asf", "16.asf", "16_15.amc", "1.asf", "6.ASF", "readme"];
    assert_eq!(skeleton_candidates("/data/16_15.amc", &folder), ["16.asf"]);
    assert_eq!(skeleton_candidates("6_01.amc", &folder), ["6.ASF"]);
    assert!(skeleton_candidates("17_01.amc", &folder).is_empty());
    assert_eq!(skeleton_candidates("walk.amc", &["walk.amc", "person.asf"]), ["person.asf"]);
    assert_eq!(
        skeleton_candidates("a_b_c.amc", &["a.asf", "a_b.asf", "a_b_c.asf"]),
        ["a_b_c.asf", "a_b.asf", "a.asf"]
    );
}

#[test]
fn a_motion_can_be_written_as_bvh() {
    let r = read(AMC);
    let again = bvh::read(&bvh::write(&r).0, "s_1.bvh").unwrap();
    for frame in 0..2 {
        for (a, b) in world(&r, frame).iter().zip(world(&again, frame)) {
            assert!((a.0 - b.0).norm() < 1e-9 && turn_between(a.1, b.1) < 1e-9);
        }
    }
}

// --- real files ----------------------------------------------------------------------------------------------------

fn walk() -> Option<Recording> {
    let (asf, amc) = (data_text("asfamc/16.asf")?, data_text("asfamc/16_15.amc")?);
    Some(acclaim::read(&asf, "16.asf", &amc, "16_15.amc").unwrap_or_else(|e| panic!("{e}")))
}

/// Largest distance over all frames between a joint of one recording and one of another.
fn apart(a: &Recording, b: &Recording, names: (&str, &str)) -> (f64, f64) {
    let find = |r: &Recording, n: &str| r.skeleton.find(n).unwrap_or_else(|| panic!("{n}"));
    let (i, j) = (find(a, names.0), find(b, names.1));
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for frame in 0..a.frames() {
        let d = (world(a, frame)[i].0 - world(b, frame)[j].0).norm();
        (least, most) = (least.min(d), most.max(d));
    }
    (least, most)
}

#[test]
fn the_walk_equals_its_bvh_up_to_the_thorax() {
    let Some(a) = walk() else { return };
    let Some(text) = data_text("bvh/16_15.bvh") else { return };
    let b = bvh::read(&text, "16_15.bvh").unwrap();
    assert_eq!((a.frames(), b.frames()), (471, 471));
    assert_eq!(a.convention, b.convention);
    let same = [
        ("root", "Hips"),
        ("lfemur", "LeftUpLeg"),
        ("ltibia", "LeftLeg"),
        ("lfoot", "LeftFoot"),
        ("ltoes", "LeftToeBase"),
        ("rfemur", "RightUpLeg"),
        ("rtibia", "RightLeg"),
        ("rfoot", "RightFoot"),
        ("rtoes", "RightToeBase"),
        ("upperback", "Spine"),
        ("thorax", "Spine1"),
    ];
    let worst = same.into_iter().map(|names| apart(&a, &b, names).1).fold(0.0, f64::max);
    eprintln!("legs and spine {worst:e} m");
    assert!(worst < 1e-4, "{worst:e}");
    for names in
        [("upperneck", "Neck1"), ("lhumerus", "LeftArm"), ("rhumerus", "RightArm"), ("rwrist", "RightHand")]
    {
        let (least, most) = apart(&a, &b, names);
        eprintln!("{names:?} {least} to {most} m");
        assert!((least - 0.1228).abs() < 1e-3 && (most - 0.1228).abs() < 1e-3, "{names:?} {least} {most}");
    }
}

#[test]
fn the_walk_equals_another_conversion() {
    let Some(a) = walk() else { return };
    let Some(text) = data_text("asfamc/16_15.imusim.bvh") else { return };
    let b = bvh::read(&text, "16_15.imusim.bvh").unwrap();
    assert_eq!((b.frames(), b.convention.unit, b.rest.is_some()), (471, 0.01, false), "{:?}", b.notes);
    // arms and legs of that file agree only in every fourth frame; the others seem interpolated (0.42 m off where
    // the left arm jumps from its unmeasured pose), the trunk agrees in all
    let mut worst = 0.0f64;
    for frame in (0..471).step_by(4) {
        let (all, theirs) = (world(&a, frame), world(&b, frame));
        for (bone, place) in b.skeleton.bones.iter().zip(theirs) {
            let ours = a.skeleton.find(&bone.name).unwrap_or_else(|| panic!("{}", bone.name));
            worst = worst.max((all[ours].0 - place.0).norm());
        }
    }
    eprintln!("all joints {worst:e} m");
    assert!(worst < 2e-5, "{worst:e}");
    for name in ["root", "upperback", "thorax", "lowerneck", "lhumerus", "rhumerus", "lfemur", "rfemur"] {
        let (_, most) = apart(&a, &b, (name, name));
        assert!(most < 1e-4, "{name} {most:e}");
    }
}

#[test]
fn the_walk_round_trips_as_bvh() {
    let Some(a) = walk() else { return };
    let b = bvh::read(&bvh::write(&a).0, "x.bvh").unwrap();
    assert_eq!(a.frames(), b.frames());
    for name in ["lfingers", "rtoes", "head"] {
        assert!(apart(&a, &b, (name, name)).1 < 1e-9);
    }
}

// --- hostile -----------------------------------------------------------------------------------------------------

fn survive(asf: &str, amc: &str) {
    let _ = acclaim::read_at_rest(asf, "s", &Options::default());
    if let Ok(r) = acclaim::read(asf, "s", amc, "t") {
        assert!(r.positions.iter().all(|p| p.is_finite()) && r.rotations.iter().all(|q| q.is_finite()));
        let _ = bvh::write(&r).0;
    }
}

#[test]
fn truncated_files_never_panic() {
    (0..ASF.len()).for_each(|n| survive(&ASF[..n], AMC));
    (0..AMC.len()).for_each(|n| survive(ASF, &AMC[..n]));
}

#[test]
fn changed_bytes_never_panic() {
    let words = "1e308|-1e12|1e-320|nan|inf||(|#|:root|:units|:bonedata|:hierarchy|begin|end|root|lshank|dof|\
                 99999999999999999999|\r|\n|\0|é|rx|\u{a0}|3";
    let words: Vec<&str> = words.split('|').collect();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for n in 0..10_000 {
        let mut texts = [ASF, AMC].map(String::from);
        texts[n % 2] = mutated(&texts[n % 2], &words, &mut random);
        let [asf, amc] = texts;
        survive(&asf, &amc);
    }
}
