//! Built-in items.

use crate::error::{Answer, Problem};
use anthropi_app::builtin::{FIGURES, FILTER_SCENES, MOTIONS, SCENES, STYLES, WALKS};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

/// Names and one-line summaries of the built-in items of a kind.
#[pyfunction]
pub fn builtins<'py>(py: Python<'py>, kind: &str) -> Answer<Bound<'py, PyDict>> {
    let all = match kind {
        "figures" => FIGURES,
        "scenes" => SCENES,
        "motions" => MOTIONS,
        "filterings" => FILTER_SCENES,
        "styles" => STYLES,
        "walks" => WALKS,
        _ => return Err(Problem::Argument(format!("there are no built-in `{kind}`"))),
    };
    Ok(all.iter().map(|b| (b.name, b.what)).into_py_dict(py)?)
}
