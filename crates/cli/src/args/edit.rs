//! Options that change a motion.

use super::above_zero;
use anthropi_io::filtering::Changes;
use clap::Args as Group;
use std::path::Path;

/// How a motion is changed, in this order.
#[derive(Clone, Debug, Default, Group)]
#[command(next_help_heading = "Options that change the motion, done in this order")]
pub struct EditArgs {
    /// Keep the part between two times, s
    #[arg(long, value_name = "FROM,TO", value_parser = pair, allow_hyphen_values = true)]
    pub cut: Option<(f64, f64)>,
    /// Play so many times as fast
    #[arg(long, value_name = "TIMES", value_parser = above_zero, allow_negative_numbers = true)]
    pub speed: Option<f64>,
    /// Play backward
    #[arg(long)]
    pub reverse: bool,
    /// Left becomes right
    #[arg(long)]
    pub mirror: bool,
    /// Bend the path by degrees to the left between two times, s
    #[arg(long, value_name = "DEG,FROM,TO", value_parser = triple, allow_hyphen_values = true)]
    pub turn: Option<(f64, f64, f64)>,
    /// Mix with another motion; walks are aligned by their steps
    #[arg(long, value_name = "MOTION")]
    pub blend: Option<String>,
    /// How much of the other motion is in the mix, 0 to 1 [default: 0.5]
    #[arg(long, value_name = "PART", value_parser = part)]
    pub weight: Option<f64>,
    /// Go on with another motion, which is moved to where this one ends
    #[arg(long, value_name = "MOTION")]
    pub join: Option<String>,
    /// Repeat a cycle so many times, each going on where the one before ended
    #[arg(long, value_name = "TIMES")]
    pub repeat: Option<usize>,
    /// How long one motion fades into the next, s (with --join and --repeat) [default: 0.2]
    #[arg(long, value_name = "S", value_parser = above_zero, allow_negative_numbers = true)]
    pub fade: Option<f64>,
    /// Other frames a second
    #[arg(long, value_name = "HZ", value_parser = above_zero, allow_negative_numbers = true)]
    pub resample: Option<f64>,
}

impl EditArgs {
    /// Whether anything is changed.
    pub fn is_empty(&self) -> bool {
        let given = [
            self.cut.is_some(),
            self.speed.is_some(),
            self.reverse,
            self.mirror,
            self.turn.is_some(),
            self.blend.is_some(),
            self.join.is_some(),
            self.repeat.is_some(),
            self.resample.is_some(),
        ];
        !given.contains(&true)
    }

    /// Files that are read for it.
    pub fn reads(&self) -> [Option<&Path>; 2] {
        [&self.blend, &self.join].map(|name| name.as_deref().map(Path::new))
    }

    /// The same as a scene of the filter has it.
    pub fn changes(&self) -> Changes {
        Changes {
            cut: self.cut,
            speed: self.speed,
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

    /// What is not asked for, as a scene has it.
    pub fn or(self, changes: &Changes) -> EditArgs {
        EditArgs {
            cut: self.cut.or(changes.cut),
            speed: self.speed.or(changes.speed),
            reverse: self.reverse || changes.reverse,
            mirror: self.mirror || changes.mirror,
            turn: self.turn.or(changes.turn),
            blend: self.blend.or_else(|| changes.blend.clone()),
            weight: self.weight.or(changes.weight),
            join: self.join.or_else(|| changes.join.clone()),
            repeat: self.repeat.or(changes.repeat),
            fade: self.fade.or(changes.fade),
            resample: self.resample.or(changes.rate),
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
    fn numbers_are_counted() {
        assert_eq!(pair("0.5, 2"), Ok((0.5, 2.0)));
        assert_eq!(triple("-30,0,1"), Ok((-30.0, 0.0, 1.0)));
        for bad in ["", "1", "1,2,3", "a,b", "1,inf"] {
            assert!(pair(bad).is_err(), "{bad}");
        }
        assert!(part("1.5").is_err() && part("0.25") == Ok(0.25));
    }
}
