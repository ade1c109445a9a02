//! Colours with a meaning, the same in reports, plots, pictures and the studio (`web/src/view/palette.ts`).
//!
//! Lines and bars use the colour-blind safe palette of Okabe and Ito; limbs are paler shades of the same hues.

/// Left side of the body, as a line or bar.
pub const LEFT: &str = "#0072b2";
/// Right side of the body, as a line or bar.
pub const RIGHT: &str = "#d55e00";
/// Left limbs of a figure.
pub const LEFT_LIMB: &str = "#4578b3";
/// Right limbs of a figure.
pub const RIGHT_LIMB: &str = "#db804d";
/// Trunk and head of a figure, and links on neither side.
pub const TRUNK: &str = "#8c919e";
/// A figure shown for comparison.
pub const GHOST: &str = "#c7ccd1";
/// Contact forces.
pub const CONTACT_FORCE: &str = "#009e73";
/// Assistance: external forces that keep a filtered figure up.
pub const ASSIST: &str = "#cc79a7";
/// Props around a figure.
pub const PROP: &str = "#c9b37e";
/// Flight phases.
pub const FLIGHT: &str = "#56b4e9";
/// Physical faults.
pub const FAULT: &str = "#c0392b";
/// Lamps, best first: green, amber, red. Each has a sign and a word too.
pub const LAMPS: [&str; 3] = [CONTACT_FORCE, "#e69f00", RIGHT];
/// Series of a plot, in this order; the first two are left and right.
pub const SERIES: [&str; 8] = [LEFT, RIGHT, CONTACT_FORCE, ASSIST, "#e69f00", FLIGHT, "#7a7a7a", "#000000"];

/// Red, green and blue from 0 to 1 of a colour `#rrggbb` with lower-case digits.
pub(crate) const fn channels(hex: &str) -> (f64, f64, f64) {
    let text = hex.as_bytes();
    (channel(text, 1), channel(text, 3), channel(text, 5))
}

const fn channel(text: &[u8], at: usize) -> f64 {
    (16 * digit(text[at]) + digit(text[at + 1])) as f64 / 255.0
}

const fn digit(letter: u8) -> u8 {
    if letter <= b'9' { letter - b'0' } else { letter - b'a' + 10 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_parts_of_255() {
        assert_eq!(channels("#ff00cc"), (1.0, 0.0, 0.8));
    }

    #[test]
    fn pages_and_studio_use_the_same_colours() {
        let css = include_str!("report/page.css");
        for (variable, colour) in [
            ("--c0", LEFT),
            ("--c1", RIGHT),
            ("--c2", CONTACT_FORCE),
            ("--c3", ASSIST),
            ("--c5", FLIGHT),
            ("--fault", FAULT),
            ("--lamp-green", LAMPS[0]),
            ("--lamp-amber", LAMPS[1]),
            ("--lamp-red", LAMPS[2]),
        ] {
            assert!(css.contains(&format!("{variable}: {colour};")), "{variable}");
        }
        let player = include_str!("report/player.js");
        for (name, colour) in [
            ("LEFT", LEFT_LIMB),
            ("RIGHT", RIGHT_LIMB),
            ("TRUNK", TRUNK),
            ("GHOST", GHOST),
            ("FORCE", CONTACT_FORCE),
            ("ASSIST", ASSIST),
        ] {
            assert!(player.contains(&format!("{name} = \"{colour}\"")), "{name}");
        }
        let studio = include_str!("../../../web/src/view/palette.ts");
        for (name, colour) in
            [("left", LEFT_LIMB), ("right", RIGHT_LIMB), ("trunk", TRUNK), ("contact", CONTACT_FORCE)]
        {
            assert!(studio.contains(&format!("{name}: 0x{}", &colour[1..])), "{name}");
        }
        let series = SERIES[..5].iter().map(|c| format!("\"{c}\"")).collect::<Vec<_>>().join(", ");
        assert!(studio.contains(&format!("SERIES = [{series}]")), "{series}");
    }
}
