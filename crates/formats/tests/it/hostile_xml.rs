//! Damaged and hostile XML: an error or a figure, never a panic, always fast.

use anthropi_formats::{mjcf, urdf};
use std::time::{Duration, Instant};
use testkit::mutation::{Random, mutated};

/// Time limit for each text, even on a busy machine.
const LONG: Duration = Duration::from_secs(20);

const URDF: &str = r#"<?xml version="1.0"?>
<robot name="r"><!-- a "comment' -->
  <link name="a"><inertial><origin xyz="0 0 1" rpy="0.1 0 0"/><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="1 2 3"/></geometry></collision></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.1"/></joint>
  <joint name="k" type="spherical"><origin xyz="0 1e-3 0"/><parent link="b"/><child link="c"/><mimic joint="j"/></joint>
</robot>"#;

const MJCF: &str = r#"<mujoco model="m"><compiler angle="radian" settotalmass="3" boundmass="0.1" balanceinertia="true"/>
  <default><joint damping="1"/><geom type="capsule"/><default class="c"><joint armature="1"/></default></default>
  <asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3" refquat="1 2 3 4"/>
    <mesh name="h" inertia="convex" vertex="0 0 0 2 0 0 0 2 0 0 0 2 1 1 1" scale="1 1 -1"/></asset>
  <worldbody><geom type="plane" size="1 1 1"/>
    <frame euler="0.1 0.2 0.3"><body name="a" pos="0 0 1"><freejoint name="root"/><geom fromto="0 0 0 0 0 1" size="0.1"/>
      <body name="b" childclass="c" quat="1 0 0 1"><joint name="x" axis="1 0 0" range="-1 1" ref="0.5"/><joint axis="0 1 0"/>
        <geom type="ellipsoid" size="1 2 3" mass="4"/><geom type="mesh" mesh="t"/><geom type="mesh" mesh="h" density="2"/>
        <body zaxis="0 1 0"><joint type="ball"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body></body></frame>
  </worldbody>
  <equality><connect body1="b" anchor="0 0 1"/><weld body1="a" body2="b" relpose="0 0 0 1 0 0 0"/></equality>
  <actuator><motor joint="x" gear="3" ctrlrange="-1 1"/></actuator></mujoco>"#;

/// Reads as both formats; everything read must be written, or rejected with an error.
fn read(text: &str) {
    let start = Instant::now();
    for loaded in [urdf::read(text, "t"), mjcf::read(text, "t", None)].into_iter().flatten() {
        let _ = (urdf::write(&loaded.figure), mjcf::write(&loaded.figure));
    }
    assert!(start.elapsed() < LONG, "{:?} for {} bytes", start.elapsed(), text.len());
}

#[test]
fn the_seeds_are_valid() {
    urdf::read(URDF, "t").unwrap();
    mjcf::read(MJCF, "t", None).unwrap();
}

#[test]
fn truncated_files_never_panic() {
    for text in [URDF, MJCF] {
        (0..text.len()).for_each(|n| read(&text[..n]));
    }
}

#[test]
fn changed_bytes_never_panic() {
    let words = [
        "1e308", "-1e308", "1e-320", "nan", "inf", "-0", "", "0 0 0", "world", "a", "\"", "<", "/>", "&",
        "&#0;", "é",
    ];
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for text in [URDF, MJCF] {
        for _ in 0..4000 {
            read(&mutated(text, &words, &mut random));
        }
    }
}

/// Replaces each attribute value in turn: still well-formed, so it reaches the readers.
#[test]
fn changed_values_never_panic() {
    let words = "|1e308|-1e308|1e-320|0|-1|x|0 0 0|1e308 1e308 1e308|0 0 0 0|1 1 1 1 1 1|a|free|true";
    let words: Vec<&str> = words.split('|').collect();
    for text in [URDF, MJCF] {
        let quotes: Vec<usize> = text.match_indices("=\"").map(|(i, _)| i + 2).collect();
        for &from in &quotes {
            let to = from + text[from..].find('"').unwrap();
            words.iter().for_each(|w| read(&format!("{}{w}{}", &text[..from], &text[to..])));
        }
    }
}

#[test]
fn deep_nesting_is_rejected() {
    for n in [600, 100_000] {
        let text = format!("<mujoco><worldbody>{}", "<body>".repeat(n));
        read(&text);
        let text =
            format!("<mujoco><worldbody>{}{}</worldbody></mujoco>", "<body>".repeat(n), "</body>".repeat(n));
        let err = mjcf::read(&text, "t", None).unwrap_err().to_string();
        assert!(err.contains("nested more than 512 deep"), "{err}");
    }
    let inertial = "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>";
    let body = format!("<body>{inertial}<joint/>");
    let text =
        format!("<mujoco><worldbody>{}{}</worldbody></mujoco>", body.repeat(500), "</body>".repeat(500));
    assert_eq!(mjcf::read(&text, "t", None).unwrap().figure.forest().nv(), 500);
    read(&text);
    let class = format!(
        "<mujoco><default>{}{}</default></mujoco>",
        "<default class=\"a\">".repeat(60),
        "</default>".repeat(60)
    );
    assert!(mjcf::read(&class, "t", None).unwrap_err().to_string().contains("nested more than 32 deep"));
}

#[test]
fn large_numbers_of_elements_are_bounded() {
    let start = Instant::now();
    let attributes: String = (0..100_000).map(|i| format!(" a{i}=\"\"")).collect();
    assert!(
        urdf::read(&format!("<robot{attributes}/>"), "t").unwrap_err().to_string().contains("256 attributes")
    );
    let spaces: String = (0..1000).map(|i| format!("<a xmlns:n{i}=\"u{i}\">")).collect();
    assert!(urdf::read(&spaces, "t").unwrap_err().to_string().contains("64 namespaces"));
    read(&"<a/>".repeat(500_000));
    read(&format!("<robot>{}</robot>", "<a/>".repeat(500_000)));
    read(&format!("<robot name=\"{}\"/>", "x".repeat(10_000_000)));
    let links: String = (0..20_000).map(|i| format!("<link name=\"l{i}\"/>")).collect();
    assert!(
        urdf::read(&format!("<robot>{links}</robot>"), "t")
            .unwrap_err()
            .to_string()
            .contains("more than 10000 links")
    );
    let bodies = "<body><joint/><joint/></body>".repeat(20_000);
    assert!(mjcf::read(&format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>"), "t", None).is_err());
    read(&format!("<mujoco><worldbody><body>{}</body></worldbody></mujoco>", "<joint/>".repeat(50_000)));
    let entities = "<!DOCTYPE a [<!ENTITY b \"bbbbbbbb\"><!ENTITY c \"&b;&b;&b;\">]><robot name=\"&c;\"/>";
    assert!(urdf::read(entities, "t").is_err());
    let huge = " ".repeat((32 << 20) + 1);
    assert!(urdf::read(&huge, "t").unwrap_err().to_string().contains("read up to 33554432 bytes"));
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
}

/// The longest accepted chain: figures must not recurse to its depth.
#[test]
fn the_longest_chain_is_read() {
    let inertial = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
    let n = 8000;
    let links: String = (0..n).map(|i| format!("<link name=\"l{i}\">{inertial}</link>")).collect();
    let joint = |i: usize| {
        format!(
            "<joint name=\"j{i}\" type=\"continuous\"><parent link=\"l{}\"/><child link=\"l{i}\"/></joint>",
            i - 1
        )
    };
    let joints: String = (1..n).map(joint).collect();
    let text = format!("<robot name=\"chain\">{links}{joints}</robot>");
    let start = Instant::now();
    let figure = urdf::read(&text, "t").unwrap().figure;
    assert_eq!(figure.forest().nv(), n - 1);
    assert!(mjcf::write(&figure).unwrap_err().to_string().contains("more than 480 bodies deep"));
    assert!(urdf::write(&figure).is_ok());
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
}
