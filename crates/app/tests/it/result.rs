//! The Python stubs (`typing.py`) list the fields of the serde results, with their types.

use anthropi_app::assessment::assistance::UNFAITHFUL;
use anthropi_app::assessment::{assess, filter_and_assess};
use anthropi_app::loaded_motion::{self, LoadedMotion, SubjectOptions};
use anthropi_app::report::filter::{self, compared};
use anthropi_app::result::AssistResult;
use anthropi_formats::motion::Options;
use anthropi_motion::deviation::JointDeviation;
use anthropi_motion::filter::{AssistInterval, AssistReport, FilterSettings};
use anthropi_motion::gait::GaitMeasures;
use anthropi_motion::inverse;
use anthropi_motion::lamps::{Lamp, LampState};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const TYPING: &str = include_str!("../../../py/python/anthropi/typing.py");

/// Fields and types of a class.
type Fields<'a> = BTreeMap<&'a str, &'a str>;

fn classes() -> BTreeMap<&'static str, Fields<'static>> {
    let mut classes: BTreeMap<&str, Fields> = BTreeMap::new();
    let mut class = "";
    for line in TYPING.lines() {
        if let Some(name) = line.strip_prefix("class ") {
            class = name.split('(').next().unwrap_or_default();
        } else if let Some((name, kind)) = line.strip_prefix("    ").and_then(|field| field.split_once(": "))
            && !name.contains(['"', ' '])
        {
            classes.entry(class).or_default().insert(name, kind);
        }
    }
    classes
}

/// Checks a value against a type, recursively.
fn check(classes: &BTreeMap<&str, Fields>, place: &str, kind: &str, value: &Value) {
    if let Some(kind) = kind.strip_suffix(" | None") {
        if !value.is_null() {
            check(classes, place, kind, value);
        }
    } else if let Some(inner) = kind.strip_prefix("list[").and_then(|k| k.strip_suffix(']')) {
        let list = value.as_array().unwrap_or_else(|| panic!("{place}: {kind} is {value}"));
        list.iter().for_each(|v| check(classes, place, inner, v));
    } else if let Some(inner) = kind.strip_prefix("dict[str, ").and_then(|k| k.strip_suffix(']')) {
        let map = value.as_object().unwrap_or_else(|| panic!("{place}: {kind} is {value}"));
        map.values().for_each(|v| check(classes, place, inner, v));
    } else if let Some(fields) = classes.get(kind) {
        let map = value.as_object().unwrap_or_else(|| panic!("{place}: {kind} is {value}"));
        let mut names: Vec<&str> = map.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, fields.keys().copied().collect::<Vec<_>>(), "fields of {place}: {kind}");
        map.iter().for_each(|(k, v)| check(classes, &format!("{place}.{k}"), fields[k.as_str()], v));
    } else {
        let fits = match kind {
            "int" => value.is_u64() || value.is_i64(),
            "float" => value.is_number(),
            "bool" => value.is_boolean(),
            "str" | "Verdict" => value.is_string(),
            _ => kind.starts_with("Literal[") && value.is_string(),
        };
        assert!(fits, "{place}: {kind} is {value}");
    }
}

fn walk() -> LoadedMotion {
    let mut walk =
        loaded_motion::load("keyed-walk", &Options::default(), &SubjectOptions::default()).unwrap();
    walk.clip = walk.clip.cut(0.0, 0.3).unwrap();
    walk
}

#[test]
fn the_stubs_list_the_fields_of_a_certificate() {
    // far above the ground, so that there are findings
    let options = inverse::Options { ground: Some(-0.5), ..inverse::Options::default() };
    let result = json!(assess("walk", &walk(), &options, &mut |_| ()).unwrap().result());
    assert!(!result["findings"].as_array().unwrap().is_empty(), "{result}");
    check(&classes(), "certificate", "CertificateResult", &result);
}

#[test]
fn the_stubs_list_the_fields_of_a_filter_result() {
    let (options, settings) = (inverse::Options::default(), FilterSettings::default());
    let outcome = filter_and_assess("walk", &walk(), &options, &settings, &mut |_, _| (), &mut |_| ());
    check(&classes(), "filter", "FilterResult", &json!(outcome.unwrap().result()));
}

#[test]
fn the_stubs_list_the_fields_of_assistance() {
    let interval = AssistInterval { from: 0.5, to: 0.7, peak_bw: 0.2 };
    let report = AssistReport { peak_bw: 0.2, intervals: vec![interval], ..AssistReport::default() };
    let result = json!(AssistResult::from(report));
    assert_eq!(result["intervals"][0], json!({ "from_s": 0.5, "to_s": 0.7, "peak_bw": 0.2 }));
    check(&classes(), "assist", "AssistResult", &result);
}

#[test]
fn a_motion_that_is_already_physical_is_tracked_within_centimetres() {
    let (options, settings) = (inverse::Options::default(), FilterSettings::default());
    let outcome = filter_and_assess("walk", &walk(), &options, &settings, &mut |_, _| (), &mut |_| ());
    let protocol = outcome.unwrap().result().protocol;
    assert!(protocol.success && protocol.g_mpjpe_mm > 0.0 && protocol.g_mpjpe_mm < 50.0, "{protocol:?}");
    assert!(1000.0 * protocol.max_m >= protocol.g_mpjpe_mm, "{protocol:?}");
    assert!(protocol.e_vel_mm.zip(protocol.e_acc_mm).is_some(), "{protocol:?}");
}

#[test]
fn a_result_far_from_the_given_motion_gets_no_green_tick() {
    let (options, settings) = (inverse::Options::default(), FilterSettings::default());
    let outcome = filter_and_assess("walk", &walk(), &options, &settings, &mut |_, _| (), &mut |_| ());
    let mut outcome = outcome.unwrap();
    let lamps = outcome.lamps();
    assert!(lamps.each().all(|(_, lamp)| lamp.state == LampState::Green), "{lamps:?}");
    assert!(filter::page(&outcome).contains("class=\"verdict good\""));

    outcome.joint = JointDeviation { angle: 163f64.to_radians(), joint: "left_knee".into(), time: 0.2 };
    let lamps = outcome.lamps();
    assert_eq!(lamps.faithful, Some(Lamp::red("left_knee is 163 degrees off at 0.20 s")));
    let page = filter::page(&outcome);
    assert!(page.contains("class=\"verdict bad\"") && !page.contains("class=\"verdict good\""));
    for part in ["but far from the given motion", "<b>physical: yes</b>", "<b>faithful: no</b>"] {
        assert!(page.contains(part), "{part}");
    }
    let row = compared(&outcome).pop().expect("a verdict");
    assert_eq!((row.values[1].as_str(), row.is_good[1]), (UNFAITHFUL, Some(false)));
    // the verdict of the forces keeps its meaning
    assert_eq!(json!(outcome.result())["output"]["verdict"], "consistent");
}

#[test]
fn the_stubs_list_the_fields_of_a_measured_gait() {
    let result = json!(GaitMeasures::default());
    check(&classes(), "measured", "MeasuredGait", &result);
}
