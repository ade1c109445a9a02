//! State files: q, v, a, tau of joints by name, and forces on links. Errors name the file and field.

use crate::source;
use anthropi_dynamics::model::{Figure, JointHandle, JointPlace, LinkHandle, State};
use anthropi_dynamics::spatial::Vec3;
use anthropi_formats::file;
use anthropi_formats::names;
use anthropi_formats::names::counted;
use anyhow::{Context, anyhow};
use serde_json::{Map, Value};
use std::path::Path;

/// A state, accelerations and applied forces.
#[derive(Clone, Debug)]
pub struct LoadedState {
    /// position and velocity
    pub state: State,
    /// accelerations, in the order of the degrees of freedom
    pub a: Vec<f64>,
    /// actuator forces, in the same order
    pub tau: Vec<f64>,
    /// forces on links
    pub pushes: Vec<LinkWrench>,
}

/// A force and a torque on a link, world axes.
#[derive(Clone, Copy, Debug)]
pub struct LinkWrench {
    /// the link
    pub link: LinkHandle,
    /// N
    pub force: Vec3,
    /// N m
    pub torque: Vec3,
    /// point of application in the world; `None` is the link's origin
    pub point: Option<Vec3>,
}

impl LoadedState {
    /// Reads a state file; omitted values are those of `start`, or zero.
    pub fn read(figure: &Figure, start: State, file: Option<&Path>) -> anyhow::Result<LoadedState> {
        let nv = figure.forest().nv();
        let mut given =
            LoadedState { state: start, a: vec![0.0; nv], tau: vec![0.0; nv], pushes: Vec::new() };
        if let Some(file) = file {
            let text = file::text(file)?;
            let json: Value = serde_json::from_str(&text).with_context(|| file.display().to_string())?;
            Reader { figure }.read(&json, &mut given).with_context(|| file.display().to_string())?;
        }
        Ok(given)
    }
}

struct Reader<'a> {
    figure: &'a Figure,
}

impl Reader<'_> {
    fn read(&self, json: &Value, given: &mut LoadedState) -> anyhow::Result<()> {
        let root = object(json, "the file")?;
        known_keys(root, "", &["q", "v", "a", "tau", "forces"])?;
        self.joints(root, "q", |p| p.nq, |joint, q| Ok(given.state.set_q(self.figure, joint, q)?))?;
        self.joints(root, "v", |p| p.nv, |joint, v| Ok(given.state.set_v(self.figure, joint, v)?))?;
        for (key, to) in [("a", &mut given.a), ("tau", &mut given.tau)] {
            self.joints(
                root,
                key,
                |p| p.nv,
                |joint, numbers| {
                    let at = self.figure.forest().joint_place(joint).iv;
                    to[at..at + numbers.len()].copy_from_slice(numbers);
                    Ok(())
                },
            )?;
        }
        given.pushes = root.get("forces").map_or(Ok(Vec::new()), |forces| self.pushes(forces))?;
        Ok(())
    }

    /// Passes the numbers of each joint in the table `key` to `take`.
    fn joints(
        &self,
        root: &Map<String, Value>,
        key: &str,
        count: impl Fn(JointPlace) -> usize,
        mut take: impl FnMut(JointHandle, &[f64]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let Some(table) = root.get(key) else { return Ok(()) };
        for (name, value) in object(table, key)? {
            let path = format!("{key}.{name}");
            let found = self.figure.joints().find(|(_, j)| j.name == *name);
            let (handle, _) = found.ok_or_else(|| {
                let all = self.figure.joints().map(|(_, j)| j.name.as_str());
                anyhow!("{path}: {}", names::unknown("joint", name, all))
            })?;
            let expected = count(self.figure.forest().joint_place(handle));
            take(handle, &numbers(value, &path, expected)?).with_context(|| path)?;
        }
        Ok(())
    }

    fn pushes(&self, forces: &Value) -> anyhow::Result<Vec<LinkWrench>> {
        let list = forces.as_array().ok_or_else(|| wrong(forces, "forces", "a list"))?;
        list.iter().enumerate().map(|(i, push)| self.push(push, &format!("forces[{i}]"))).collect()
    }

    fn push(&self, push: &Value, path: &str) -> anyhow::Result<LinkWrench> {
        let table = object(push, path)?;
        known_keys(table, path, &["link", "force", "torque", "point"])?;
        let field =
            table.get("link").ok_or_else(|| anyhow!("{path}: `link` is missing, expected a link name"))?;
        let name = field.as_str().ok_or_else(|| wrong(field, &format!("{path}.link"), "a link name"))?;
        let link = source::link(self.figure, name).map_err(|e| anyhow!("{path}.link: {e}"))?;
        let vector = |key: &str| {
            let numbers =
                table.get(key).map(|value| numbers(value, &format!("{path}.{key}"), 3)).transpose()?;
            anyhow::Ok(numbers.map(|n| Vec3 { x: n[0], y: n[1], z: n[2] }))
        };
        let or_zero = |v: Option<Vec3>| v.unwrap_or(Vec3::ZERO);
        Ok(LinkWrench {
            link,
            force: or_zero(vector("force")?),
            torque: or_zero(vector("torque")?),
            point: vector("point")?,
        })
    }
}

/// A list of `expected` numbers; one number may stand alone.
fn numbers(value: &Value, path: &str, expected: usize) -> anyhow::Result<Vec<f64>> {
    let wanted = match expected {
        0 => "an empty list (the joint is fixed)".into(),
        1 => "a number or a list of one".into(),
        n => format!("a list of {n} numbers"),
    };
    let found: Vec<&Value> = match value {
        Value::Array(list) => list.iter().collect(),
        Value::Number(_) if expected == 1 => vec![value],
        other => return Err(wrong(other, path, &wanted)),
    };
    if found.len() != expected {
        return Err(anyhow!("{path}: has {}, expected {wanted}", counted(found.len(), "number")));
    }
    let number =
        |(i, x): (usize, &&Value)| x.as_f64().ok_or_else(|| wrong(x, &format!("{path}[{i}]"), "a number"));
    found.iter().enumerate().map(number).collect()
}

fn object<'a>(value: &'a Value, path: &str) -> anyhow::Result<&'a Map<String, Value>> {
    value.as_object().ok_or_else(|| wrong(value, path, "a table {..}"))
}

fn known_keys(table: &Map<String, Value>, path: &str, known: &[&str]) -> anyhow::Result<()> {
    match table.keys().find(|k| !known.contains(&k.as_str())) {
        None => Ok(()),
        Some(key) if path.is_empty() => Err(anyhow!(names::unknown("field", key, known.iter().copied()))),
        Some(key) => Err(anyhow!("{path}: {}", names::unknown("field", key, known.iter().copied()))),
    }
}

fn wrong(value: &Value, path: &str, expected: &str) -> anyhow::Error {
    let found = match value {
        Value::Null => "null".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => format!("the number {n}"),
        Value::String(s) => format!("the text {s:?}"),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "a table".into(),
    };
    anyhow!("{path}: is {found}, expected {expected}")
}
