//! Axes: numbers to pixels, with round ticks.

/// Approximate number of ticks.
const STEPS: f64 = 6.0;
/// Most decades with a tick each.
const MAX_DECADES: i32 = 8;

/// Maps a range of numbers to pixels.
pub struct Axis {
    pub low: f64,
    pub high: f64,
    /// pixels at `low` and `high`
    pub ends: (f64, f64),
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// A linear axis that ends exactly at the numbers (`is_tight`), or at the ticks around them.
    pub fn linear(low: f64, high: f64, ends: (f64, f64), is_tight: bool) -> Axis {
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // give a constant series a visible range
        let least = 1e-9 * low.abs().max(high.abs()).max(1e-6);
        let (low, high) = if high - low > least { (low, high) } else { (low - 0.5, high + 0.5) };
        let step = round_step((high - low) / STEPS);
        let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
        let (first, last, low, high) = match is_tight {
            true => (first, last, low, high),
            false => {
                let (f, l) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
                (f, l, f * step, l * step)
            }
        };
        let count = (last - first).max(0.0) as i64;
        let digits = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let label = |x: f64| tick_text(x, digits, step);
        let ticks = (0..=count).map(|k| (first + k as f64) * step).map(|x| (x, label(x))).collect();
        Axis { low, high, ends, ticks }
    }

    /// A logarithmic axis; the numbers are exponents of ten.
    pub fn logarithmic(low: f64, high: f64, ends: (f64, f64)) -> Axis {
        let (low, high) = if low <= high { (low.floor(), high.ceil()) } else { (-1.0, 0.0) };
        let high = if high > low { high } else { low + 1.0 };
        let every = (((high - low) as i32 + MAX_DECADES - 1) / MAX_DECADES).max(1);
        let exponents = (low as i32..=high as i32).filter(|e| (e - low as i32) % every == 0);
        let ticks = exponents.map(|e| (f64::from(e), format!("1e{e}"))).collect();
        Axis { low, high, ends, ticks }
    }

    /// Pixel of a number.
    pub fn pixel(&self, x: f64) -> f64 {
        self.ends.0 + (x - self.low) / (self.high - self.low) * (self.ends.1 - self.ends.0)
    }
}

/// 1, 2 or 5 times a power of ten, not smaller than `x`.
fn round_step(x: f64) -> f64 {
    let power = 10f64.powf(x.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|k| k * power >= x * (1.0 - 1e-9)).unwrap_or(10.0);
    step * power
}

fn tick_text(x: f64, digits: usize, step: f64) -> String {
    let x = if x.abs() < 1e-9 * step { 0.0 } else { x };
    match x == 0.0 || (1e-4..1e6).contains(&x.abs()) {
        true => format!("{x:.digits$}"),
        false => format!("{x:e}"),
    }
}

/// Minimum and maximum of the finite numbers.
pub fn bounds(all: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = all.filter(|x| x.is_finite());
    finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_range() {
        assert_eq!([0.7, 1.0, 1.3, 3.0, 6.0].map(round_step), [1.0, 1.0, 2.0, 5.0, 10.0]);
        let axis = Axis::linear(-0.3, 2.6, (0.0, 100.0), false);
        assert!(axis.low <= -0.3 && axis.high >= 2.6);
        assert!(axis.ticks.iter().any(|(x, text)| *x == 0.0 && text == "0.0"), "{:?}", axis.ticks);
        let tight = Axis::linear(0.0, 10.0, (0.0, 100.0), true);
        assert_eq!(
            tight.ticks.iter().map(|t| t.1.as_str()).collect::<Vec<_>>(),
            ["0", "2", "4", "6", "8", "10"]
        );
    }
}
