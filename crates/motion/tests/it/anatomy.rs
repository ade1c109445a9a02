//! Recognition of body parts from the naming conventions of other programs, on one person in a T-pose.

use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::anatomy::{Anatomy, Node, Part, Side, recognise};

/// Name, parent, position (x forward, y left, z up).
type Row<'a> = (&'a str, Option<usize>, [f64; 3]);

fn nodes<'a>(rows: &[Row<'a>]) -> Vec<Node<'a>> {
    let at = |p: [f64; 3]| vec3(p[0], p[1], p[2]);
    rows.iter().map(|(name, parent, p)| Node { name, parent: *parent, at: at(*p), end: None }).collect()
}

fn anatomy(rows: &[Row]) -> Anatomy {
    recognise(&nodes(rows), &[]).unwrap()
}

/// Middle, then the left limbs of a person; the right ones mirror them.
fn person<'a>(names: &'a [String]) -> Vec<Row<'a>> {
    let middle = [
        (None, [0.0, 0.0, 0.95]),
        (Some(0), [0.0, 0.0, 1.05]),
        (Some(1), [0.0, 0.0, 1.17]),
        (Some(2), [0.0, 0.0, 1.3]),
        (Some(3), [0.0, 0.0, 1.5]),
        (Some(4), [0.02, 0.0, 1.6]),
    ];
    let limb = [
        (Some(3), [0.0, 0.06, 1.42]),
        (None, [0.0, 0.18, 1.43]),
        (None, [0.0, 0.45, 1.43]),
        (None, [0.0, 0.7, 1.43]),
        (Some(0), [0.0, 0.09, 0.9]),
        (None, [0.0, 0.1, 0.5]),
        (None, [-0.03, 0.1, 0.08]),
        (None, [0.1, 0.12, 0.02]),
    ];
    let mut rows: Vec<Row> = Vec::new();
    for (i, (parent, at)) in middle.into_iter().enumerate() {
        rows.push((&names[i], parent, at));
    }
    for side in [1.0, -1.0] {
        for (parent, [x, y, z]) in limb {
            let before = rows.len() - 1;
            rows.push((&names[rows.len()], parent.or(Some(before)), [x, side * y, z]));
        }
    }
    rows
}

fn names(middle: [&str; 6], limb: [&str; 8], sides: [&str; 2]) -> Vec<String> {
    let limbs = sides.into_iter().flat_map(|s| limb.into_iter().map(move |l| l.replace('*', s)));
    middle.into_iter().map(String::from).chain(limbs).collect()
}

const EXPECTED: [Part; 6] = [Part::Pelvis, Part::Abdomen, Part::Abdomen, Part::Chest, Part::Neck, Part::Head];

fn expected() -> Vec<Option<Part>> {
    let limb = |s: Side| {
        use Part::*;
        [Shoulder(s), UpperArm(s), Forearm(s), Hand(s), Thigh(s), Shank(s), Foot(s), Toes(s)]
    };
    EXPECTED.into_iter().chain(Side::BOTH.into_iter().flat_map(limb)).map(Some).collect()
}

#[test]
fn dialects_agree() {
    let dialects = [
        names(
            ["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"].map(|n| n),
            ["*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot", "*ToeBase"],
            ["mixamorig:Left", "mixamorig:Right"],
        ),
        names(
            ["Pelvis", "Spine1", "Spine2", "Spine3", "Neck", "Head"],
            ["*Collar", "*Shoulder", "*Elbow", "*Wrist", "*Hip", "*Knee", "*Ankle", "*Foot"],
            ["L_", "R_"],
        ),
        names(
            ["spine", "spine.001", "spine.002", "spine.003", "spine.004", "spine.006"],
            ["shoulder.*", "upper_arm.*", "forearm.*", "hand.*", "thigh.*", "shin.*", "foot.*", "toe.*"],
            ["L", "R"],
        ),
        names(
            ["Bip01 Pelvis", "Bip01 Spine", "Bip01 Spine1", "Bip01 Spine2", "Bip01 Neck", "Bip01 Head"],
            [
                "Bip01 * Clavicle",
                "Bip01 * UpperArm",
                "Bip01 * Forearm",
                "Bip01 * Hand",
                "Bip01 * Thigh",
                "Bip01 * Calf",
                "Bip01 * Foot",
                "Bip01 * Toe0",
            ],
            ["L", "R"],
        ),
        names(
            ["Pelvis", "L5", "T12", "T8", "Neck", "Head"],
            ["*Shoulder", "*UpperArm", "*ForeArm", "*Hand", "*UpperLeg", "*LowerLeg", "*Foot", "*Toe"],
            ["Left", "Right"],
        ),
        names(
            ["pelvis", "spine_01", "spine_02", "spine_03", "neck_01", "head"],
            ["clavicle_*", "upperarm_*", "lowerarm_*", "hand_*", "thigh_*", "calf_*", "foot_*", "ball_*"],
            ["l", "r"],
        ),
        names(
            ["Becken", "Bauch", "Bauch2", "Brust", "Hals", "Kopf"],
            ["J1*", "J2*", "J3*", "J4*", "J5*", "J6*", "J7*", "J8*"],
            ["a", "b"],
        ),
    ];
    for names in &dialects {
        let anatomy = anatomy(&person(names));
        assert_eq!(anatomy.parts, expected(), "{names:?}\n{:?}", anatomy.notes);
        assert!(anatomy.is_human() && anatomy.notes.is_empty(), "{names:?}: {:?}", anatomy.notes);
    }
}

#[test]
fn shoulder_is_the_upper_arm_when_the_elbow_follows() {
    let rows: [Row; 9] = [
        ("Hips", None, [0.0, 0.0, 1.0]),
        ("Chest", Some(0), [0.0, 0.0, 1.2]),
        ("Head", Some(1), [0.0, 0.0, 1.6]),
        ("LeftShoulder", Some(1), [0.0, 0.2, 1.4]),
        ("LeftElbow", Some(3), [0.0, 0.5, 1.4]),
        ("LeftWrist", Some(4), [0.0, 0.75, 1.4]),
        ("RightShoulder", Some(1), [0.0, -0.2, 1.4]),
        ("RightElbow", Some(6), [0.0, -0.5, 1.4]),
        ("RightWrist", Some(7), [0.0, -0.75, 1.4]),
    ];
    let anatomy = anatomy(&rows);
    assert_eq!(anatomy.find(Part::UpperArm(Side::Left)), Some(3));
    assert_eq!(anatomy.find(Part::Shoulder(Side::Left)), None);
    assert!(!anatomy.is_human());
    assert!(anatomy.missing().contains(&Part::Thigh(Side::Right)), "{:?}", anatomy.missing());
}

#[test]
fn contradictions_between_names_and_shape_are_noted() {
    let mut names = names(
        ["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"],
        ["*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot", "*ToeBase"],
        ["Left", "Right"],
    );
    // left and right exchanged: names take precedence and the contradiction is noted
    names.iter_mut().for_each(|n| {
        *n = if n.contains("Left") { n.replace("Left", "Right") } else { n.replace("Right", "Left") }
    });
    let anatomy = anatomy(&person(&names));
    assert_eq!(anatomy.parts[10], Some(Part::Thigh(Side::Right)));
    assert!(anatomy.confidence[10] <= 0.5);
    assert!(
        anatomy.notes.iter().any(|n| n.starts_with(
            "names contradict the topology and take precedence: RightShoulder is right_shoulder, not left_"
        )),
        "{:?}",
        anatomy.notes
    );
}

#[test]
fn overrides_take_precedence() {
    let names =
        names(["a", "b", "c", "d", "e", "f"], ["*g", "*h", "*i", "*j", "*k", "*l", "*m", "*n"], ["1", "2"]);
    let rows = person(&names);
    let overrides = [("d".to_string(), Part::Abdomen)];
    let anatomy = recognise(&nodes(&rows), &overrides).unwrap();
    assert_eq!((anatomy.parts[3], anatomy.confidence[3]), (Some(Part::Abdomen), 1.0));
    let error = recognise(&nodes(&rows), &[("1hh".into(), Part::Head)]).unwrap_err().to_string();
    assert!(error.contains("`1hh`") && error.contains("1h"), "{error}");
}

#[test]
fn incomplete_skeletons_are_not_human() {
    assert!(recognise(&[], &[]).unwrap().parts.is_empty());
    let one = Node { name: "x", parent: None, at: Vec3::ZERO, end: None };
    let anatomy = recognise(&[one], &[]).unwrap();
    assert!(!anatomy.is_human() && anatomy.parts == [None]);
    let broken = Node { parent: Some(0), ..one };
    assert!(recognise(&[broken], &[]).is_err());
}
