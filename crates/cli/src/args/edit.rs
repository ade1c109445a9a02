//! Options that edit a motion.

use super::above_zero;
use anthropi_app::filter_scene::MotionEdits;
use clap::Args as Group;

/// Edits of a motion, applied in this order.
#[derive(Debug, Group)]
#[command(next_help_heading = "Options that edit the motion, applied in this order")]
pub struct EditArgs {
    /// Keep the part between two times, s
    #[arg(long, value_name = "FROM,TO", value_parser = pair, allow_hyphen_values = true)]
    pub cut: Option<(f64, f64)>,
    /// Change the playback speed by this factor
    #[arg(long, value_name = "FACTOR", value_parser = factor, allow_negative_numbers = true)]
    pub speed: Option<PlaybackSpeed>,
    /// Reverse the motion in time
    #[arg(long)]
    pub reverse: bool,
    /// Swap left and right
    #[arg(long)]
    pub mirror: bool,
    /// Bend the path to the left by an angle, degrees, between two times, s
    #[arg(long, value_name = "DEG,FROM,TO", value_parser = triple, allow_hyphen_values = true)]
    pub turn: Option<(f64, f64, f64)>,
    /// Blend with another motion; walks are aligned by their steps
    #[arg(long, value_name = "MOTION")]
    pub blend: Option<String>,
    /// Weight of the other motion in the blend, 0 to 1 [default: 0.5]
    #[arg(long, value_name = "WEIGHT", value_parser = part)]
    pub weight: Option<f64>,
    /// Append another motion, moved to where this one ends
    #[arg(long, value_name = "MOTION")]
    pub join: Option<String>,
    /// Repeat a cycle this many times, each starting where the one before ended
    #[arg(long, value_name = "TIMES")]
    pub repeat: Option<usize>,
    /// Cross-fade between motions, s (with --join and --repeat) [default: 0.2]
    #[arg(long, value_name = "S", value_parser = above_zero, allow_negative_numbers = true)]
    pub fade: Option<f64>,
    /// Resample to this frame rate, Hz
    #[arg(long, value_name = "HZ", value_parser = above_zero, allow_negative_numbers = true)]
    pub resample: Option<f64>,
}

/// Playback speed of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlaybackSpeed {
    /// that of the file, unless it has the wrong frame rate
    Auto,
    /// times that of the file
    Factor(f64),
}

impl PlaybackSpeed {
    /// The factor, if it changes the motion.
    fn edit(self) -> Option<f64> {
        match self {
            PlaybackSpeed::Auto => None,
            PlaybackSpeed::Factor(factor) => (factor != 1.0).then_some(factor),
        }
    }
}

impl EditArgs {
    /// The same as in a filter scene.
    pub fn edits(&self) -> MotionEdits {
        MotionEdits {
            cut: self.cut,
            speed: self.speed.and_then(PlaybackSpeed::edit),
            reverse: self.reverse,
            mirror: self.mirror,
            turn: self.turn,
            blend: self.blend.clone(),
            weight: self.weight,
            join: self.join.clone(),
            repeat: self.repeat,
            fade: self.fade,
            rate: self.resample,
        }
    }
}

pub(super) fn numbers<const N: usize>(text: &str, expected: &str) -> Result<[f64; N], String> {
    let wrong = || format!("expected {expected}, got `{text}`");
    let parsed: Vec<f64> =
        text.split(',').map(|x| x.trim().parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
    let all: [f64; N] = parsed.try_into().map_err(|_| wrong())?;
    if all.iter().all(|x| x.is_finite()) { Ok(all) } else { Err(wrong()) }
}

fn factor(text: &str) -> Result<PlaybackSpeed, String> {
    above_zero(text).map(PlaybackSpeed::Factor)
}

/// The speed of `filter`.
pub(super) fn factor_or_auto(text: &str) -> Result<PlaybackSpeed, String> {
    match text.trim() {
        "auto" => Ok(PlaybackSpeed::Auto),
        number => factor(number).map_err(|_| format!("expected a number above zero or `auto`, got `{text}`")),
    }
}

/// The speed of `batch`.
pub(super) fn one_or_auto(text: &str) -> Result<PlaybackSpeed, String> {
    match factor_or_auto(text) {
        Ok(speed @ (PlaybackSpeed::Auto | PlaybackSpeed::Factor(1.0))) => Ok(speed),
        _ => Err(format!("expected `auto` or 1, got `{text}`")),
    }
}

fn pair(text: &str) -> Result<(f64, f64), String> {
    numbers::<2>(text, "two times in seconds such as 0.5,2").map(|[a, b]| (a, b))
}

fn triple(text: &str) -> Result<(f64, f64, f64), String> {
    numbers::<3>(text, "degrees and two times in seconds such as 30,0.5,2").map(|[a, b, c]| (a, b, c))
}

fn part(text: &str) -> Result<f64, String> {
    match numbers::<1>(text, "a number from 0 to 1")? {
        [x] if (0.0..=1.0).contains(&x) => Ok(x),
        _ => Err(format!("expected a number from 0 to 1, got `{text}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_a_factor_or_automatic() {
        assert_eq!(factor_or_auto("auto"), Ok(PlaybackSpeed::Auto));
        assert_eq!(factor_or_auto("0.5").map(PlaybackSpeed::edit), Ok(Some(0.5)));
        assert_eq!(factor_or_auto("1").map(PlaybackSpeed::edit), Ok(None));
        assert_eq!(one_or_auto("1.0"), Ok(PlaybackSpeed::Factor(1.0)));
        assert_eq!(one_or_auto("2").unwrap_err(), "expected `auto` or 1, got `2`");
        for bad in ["", "0", "-1", "inf", "fast"] {
            assert!(
                factor_or_auto(bad).is_err() && one_or_auto(bad).is_err() && factor(bad).is_err(),
                "{bad}"
            );
        }
        assert!(factor("auto").is_err());
    }

    #[test]
    fn numbers_are_counted() {
        assert_eq!(pair("0.5, 2"), Ok((0.5, 2.0)));
        assert_eq!(triple("-30,0,1"), Ok((-30.0, 0.0, 1.0)));
        for bad in ["", "1", "1,2,3", "a,b", "1,inf"] {
            assert!(pair(bad).is_err(), "{bad}");
        }
        assert!(part("1.5").is_err() && part("0.25") == Ok(0.25));
    }
}
