//! What the libraries tell in JSON, as Python's own values.

use crate::error::Answer;
use pyo3::prelude::*;
use serde_json::Value;

/// Tables as dict, lists as list.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> Answer<Bound<'py, PyAny>> {
    Ok(py.import("json")?.call_method1("loads", (value.to_string(),))?)
}
