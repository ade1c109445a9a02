//! What is built in.

use crate::error::{Answer, Problem};
use crate::told;
use pyo3::prelude::*;
use serde_json::Value;

/// Names and one-line descriptions of what is built in, by kind.
#[pyfunction]
pub fn builtins<'py>(py: Python<'py>, kind: &str) -> Answer<Bound<'py, PyAny>> {
    use anthropi_io::builtin::{figures, filterings, motions, scenes, styles, walks};
    let all = match kind {
        "figures" => figures(),
        "scenes" => scenes(),
        "motions" => motions(),
        "filterings" => filterings(),
        "styles" => styles(),
        "walks" => walks(),
        _ => return Err(Problem::Argument(format!("nothing of the kind `{kind}` is built in"))),
    };
    let named = all.iter().map(|b| (b.name.to_string(), Value::from(b.what)));
    told::to_python(py, &Value::Object(named.collect()))
}
