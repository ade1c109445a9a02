//! Props in options and in filter scenes.

use anthropi_formats::Error;
use anthropi_formats::fields::{Field, Table};
use anthropi_motion::contact_schedule::{Prop, PropKind};
use anthropi_motion::surroundings::{GivenProp, Surroundings};
use std::fmt::Write;

/// Most props of a scene.
const MAX_PROPS: usize = 1000;
/// Highest prop, and farthest from the origin, m.
const MAX_HEIGHT: f64 = 100.0;
const MAX_PLACE: f64 = 1e5;
/// Largest length and width, m.
const MAX_SIZE: f64 = 1000.0;

/// Whether props are found from the motion, by words in options and files.
pub const FINDING: [(&str, bool); 2] = [("auto", true), ("none", false)];

/// Parses a prop: kind and height, then its middle, then length and width, such as `seat:0.45` or
/// `step:0.2,1.0,0.5,0.4,0.3`.
///
/// # Errors
/// A sentence that says what was expected.
pub fn parse(text: &str) -> Result<GivenProp, String> {
    let wrong = || {
        let kinds = PropKind::ALL.map(|(word, _)| word).join(", ");
        format!(
            "expected a kind ({kinds}) and a height in metres, optionally with x, y, length and width, such as seat:0.45 or \
             step:0.2,1.0,0.5,0.4,0.3, got `{text}`"
        )
    };
    let (kind, rest) = text.split_once(':').ok_or_else(wrong)?;
    let (_, kind) = PropKind::ALL.into_iter().find(|(word, _)| *word == kind.trim()).ok_or_else(wrong)?;
    let numbers: Vec<f64> =
        rest.split(',').map(|x| x.trim().parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
    let (height, at, size) = match numbers[..] {
        [height] => (height, None, None),
        [height, x, y] => (height, Some([x, y]), None),
        [height, x, y, length, width] => (height, Some([x, y]), Some([length, width])),
        _ => return Err(wrong()),
    };
    let given = GivenProp { kind, height, at, size };
    if is_valid(&given) { Ok(given) } else { Err(wrong()) }
}

fn is_valid(prop: &GivenProp) -> bool {
    (0.0..=MAX_HEIGHT).contains(&prop.height)
        && prop.height > 0.0
        && prop.at.is_none_or(|at| at.iter().all(|x| x.abs() <= MAX_PLACE))
        && prop.size.is_none_or(|size| size.iter().all(|x| *x > 0.0 && *x <= MAX_SIZE))
}

/// The surroundings of a scene: `props` and all `[[prop]]`; `None` if it has neither.
///
/// # Errors
/// Unknown words and keys, numbers out of range, each with its line.
pub fn read(root: &Table) -> Result<Option<Surroundings>, Error> {
    let finds = root.optional("props", |f| f.word(&FINDING))?;
    let given: Vec<GivenProp> = root
        .entries("prop", MAX_PROPS)?
        .iter()
        .enumerate()
        .map(|(i, f)| prop(f, i))
        .collect::<Result<_, _>>()?;
    let is_default = finds.is_none() && given.is_empty();
    Ok((!is_default).then(|| Surroundings { finds: finds.unwrap_or(true), given }))
}

fn prop(field: &Field, i: usize) -> Result<GivenProp, Error> {
    let table = field.table(format!("prop {}", i + 1))?;
    table.allow(&[&["kind", "height", "at", "size"]])?;
    let kinds = PropKind::ALL.map(|(word, _)| word).join(", ");
    let place = |f: &Field| match f.array()? {
        [x, y] if f64::max(x.abs(), y.abs()) <= MAX_PLACE => Ok([x, y]),
        [x, y] => Err(f.wrong(format!("is [{x}, {y}], expected x and y within {MAX_PLACE:e} m"))),
    };
    let size = |f: &Field| match f.array()? {
        [l, w] if f64::min(l, w) > 0.0 && f64::max(l, w) <= MAX_SIZE => Ok([l, w]),
        [l, w] => {
            Err(f.wrong(format!("is [{l}, {w}], expected length and width above zero, at most {MAX_SIZE} m")))
        }
    };
    let height = table.require("height", "the height of its surface above the ground in metres")?;
    let value = height.positive()?;
    if value > MAX_HEIGHT {
        return Err(height.wrong(format!("is {value}, expected at most {MAX_HEIGHT} m")));
    }
    Ok(GivenProp {
        kind: table.require("kind", &kinds)?.word(&PropKind::ALL)?,
        height: value,
        at: table.optional("at", place)?,
        size: table.optional("size", size)?,
    })
}

/// A filter scene, in TOML, with a motion and props as they were found.
pub fn to_scene(motion: &str, props: &[Prop]) -> String {
    // escapes of Rust strings are those of TOML for what file names contain
    let mut text = format!("motion = {motion:?}\nprops = \"none\"\n");
    for prop in props {
        let [length, width] = prop.half.map(|h| 2.0 * h);
        let _ = write!(
            text,
            "\n[[prop]]\nkind = \"{}\"\nheight = {:.4}\nat = [{:.4}, {:.4}]\nsize = [{length:.4}, {width:.4}]\n",
            prop.kind.word(),
            prop.height.max(1e-4),
            prop.at.x,
            prop.at.y
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prop_has_a_kind_and_a_height() {
        let seat = parse("seat:0.45").unwrap();
        assert_eq!((seat.kind, seat.height, seat.at, seat.size), (PropKind::Seat, 0.45, None, None));
        let step = parse("step: 0.2, 1, -0.5, 0.4, 0.3").unwrap();
        assert_eq!((step.kind, step.at, step.size), (PropKind::Step, Some([1.0, -0.5]), Some([0.4, 0.3])));
        for bad in [
            "",
            "seat",
            "sofa:0.4",
            "seat:",
            "seat:0",
            "seat:-1",
            "seat:NaN",
            "seat:inf",
            "seat:0.4,1",
            "seat:1,0,0,0,1",
        ] {
            assert!(parse(bad).unwrap_err().contains("seat:0.45"), "{bad}");
        }
    }
}
