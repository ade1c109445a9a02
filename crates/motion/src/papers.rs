//! Methods as published in their sources.
//!
//! | module | source | method |
//! |---|---|---|
//! | `pseudo_inverse` | \[NY2000F\] | the first dynamics filter, second solver of [`crate::filter`] |
//! | [`hybrid_dynamics`] | \[NY2000J\] | forward and inverse dynamics with any mix of prescribed accelerations and torques |
//! | [`hidds`] | \[L1992\] | hybrid inverse and direct dynamics: torques refined by iterative learning |
//! | [`virtual_leg`] | \[L1992\] | ground reaction force as a spring along the leg |

pub mod hidds;
pub mod hybrid_dynamics;
pub(crate) mod pseudo_inverse;
pub mod virtual_leg;

use crate::error::Error;
use crate::filter::dynamics_terms::root_body;
use anthropi_dynamics::model::{BodyIx, Figure};

/// The body of the free root of a figure without loop closures.
fn root_of_tree(figure: &Figure) -> Result<BodyIx, Error> {
    let root = root_body(figure)?;
    if figure.forest().loops().is_empty() {
        return Ok(root);
    }
    let what = "it has loop closures; cut them first".into();
    Err(Error::Unsuitable { subject: figure.name.clone(), what })
}

/// Rejects a number that is not finite or out of range.
fn check_range(
    what: impl Into<String>,
    value: f64,
    expected: &'static str,
    is_valid: impl Fn(f64) -> bool,
) -> Result<(), Error> {
    if value.is_finite() && is_valid(value) {
        return Ok(());
    }
    Err(Error::OutOfRange { what: what.into(), value, expected })
}
