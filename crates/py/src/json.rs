//! Serde results as Python values.

use crate::arrays::Any;
use crate::error::{Answer, Problem};
use pyo3::prelude::*;
use serde::Serialize;

/// A result as dictionaries, lists, strings and numbers.
pub fn to_python<'py>(py: Python<'py>, result: &impl Serialize) -> Answer<Any<'py>> {
    let text = serde_json::to_string(result).map_err(|error| Problem::Internal(error.to_string()))?;
    Ok(py.import("json")?.call_method1("loads", (text,))?)
}
