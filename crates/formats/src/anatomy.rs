//! User-supplied assignment of bones or links to body parts, for skeletons that names and shape leave ambiguous.
//!
//! ```toml
//! [parts]
//! "LeftUpLeg" = "left_thigh"
//! "Bone.012" = "head"
//! ```

use crate::error::Error;
use crate::fields::{Source, Table};
use anthropi_motion::anatomy::Part;

/// Longest text read: a line for each of the bones a skeleton may have.
const MAX_BYTES: usize = 1 << 20;

/// Names of bones or links with their body parts.
///
/// # Errors
/// Invalid TOML, a key other than `parts`, an unknown part: with file, line and field.
pub fn read(text: &str, file: &str) -> Result<Vec<(String, Part)>, Error> {
    let source = Source { file, text };
    let whole = source.parse(MAX_BYTES)?;
    let root = Table::root(&source, &whole);
    root.allow(&[&["parts"]])?;
    let parts = root.require("parts", "a table of bone names and body parts")?.table("parts")?;
    let named: Vec<(String, Part)> = Part::all().map(|p| (p.to_string(), p)).collect();
    let words: Vec<(&str, Part)> = named.iter().map(|(n, p)| (n.as_str(), *p)).collect();
    let names = whole.get_ref().get("parts").and_then(|v| v.get_ref().as_table());
    let names = names.into_iter().flat_map(|t| t.keys());
    names
        .map(|n| Ok((n.get_ref().to_string(), parts.require(n.get_ref(), "a body part")?.word(&words)?)))
        .collect()
}
