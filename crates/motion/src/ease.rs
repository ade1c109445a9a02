//! Curves with given value, slope and curvature at both ends, and smooth bounds.

/// Shortest span, s.
const MIN_SPAN: f64 = 1e-6;

/// Value and two derivatives at one time.
pub(crate) type Jet = [f64; 3];

/// Sum of quintics with given value and two derivatives at both ends of a span. Value, slope and curvature of an end
/// each fade within their own time, s, or within the span if it is shorter.
pub(crate) fn quintic([from, to]: [f64; 2], within: [f64; 3], ends: [Jet; 2], t: f64) -> f64 {
    let h = (to - from).max(MIN_SPAN);
    let within = within.map(|w| w.min(h));
    // from either end: value, slope and curvature there, zero at the other
    let half = |away: f64, [x, v, a]: Jet| {
        let [s, u, w] = within.map(|h| (away / h).clamp(0.0, 1.0));
        let cube = |s: f64| (1.0 - s).powi(3);
        cube(s) * (1.0 + 3.0 * s + 6.0 * s * s) * x
            + cube(u) * u * (1.0 + 3.0 * u) * v * within[1]
            + cube(w) * 0.5 * w * w * a * within[2] * within[2]
    };
    let [x, v, a] = ends[1];
    half(t - from, ends[0]) + half(to - t, [x, -v, a])
}

/// Rises from 0 to 1 with two zero derivatives at both ends.
pub(crate) fn step(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)
}

/// Smooth maximum of `x` and `least`, rounded over `width`; never below `least`.
pub(crate) fn at_least(least: f64, width: f64, x: f64) -> f64 {
    least + 0.5 * ((x - least) + ((x - least) * (x - least) + width * width).sqrt())
}

/// Smooth minimum, rounded over `width`; never above the minimum.
pub(crate) fn least_of(width: f64, all: impl Iterator<Item = f64> + Clone) -> f64 {
    let least = all.clone().fold(f64::INFINITY, f64::min);
    if !(width > 0.0 && least.is_finite()) {
        return least;
    }
    least - width * libm::log(all.map(|x| libm::exp((least - x) / width)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Rng;

    #[test]
    fn quintics_meet_both_ends() {
        let ends = [[1.0, -2.0, 3.0], [0.5, 4.0, -6.0]];
        let (span, d) = ([0.2, 0.9], 1e-4);
        for within in [[0.7, 0.13, 0.06], [9.0, 9.0, 9.0]] {
            for (end, t, s) in [(ends[0], span[0], 1.0), (ends[1], span[1], -1.0)] {
                let at = |k: f64| quintic(span, within, ends, t + s * k * d);
                let slope = s * (-1.5 * at(0.0) + 2.0 * at(1.0) - 0.5 * at(2.0)) / d;
                let bend = (2.0 * at(0.0) - 5.0 * at(1.0) + 4.0 * at(2.0) - at(3.0)) / (d * d);
                assert!((at(0.0) - end[0]).abs() < 1e-12, "{}", at(0.0));
                assert!((slope - end[1]).abs() < 1e-4 && (bend - end[2]).abs() < 1e-2, "{slope} {bend}");
            }
        }
    }

    #[test]
    fn rounded_off_and_never_below() {
        assert!((at_least(0.004, 0.004, 0.2) - 0.2).abs() < 3e-5 && at_least(0.004, 0.01, -1.0) >= 0.004);
        assert!(at_least(0.0, 0.0, 0.3) == 0.3 && at_least(0.0, 0.0, -0.3) == 0.0);
        assert!(least_of(0.0, [0.2, 0.1].into_iter()) == 0.1);
        assert!((least_of(0.01, [0.1, 0.1].into_iter()) - 0.1 + 0.01 * 2f64.ln()).abs() < 1e-12);
        assert!(step(-1.0) == 0.0 && step(0.5) == 0.5 && step(2.0) == 1.0);
    }

    /// Reproduces random polynomials of degree five from value, slope and curvature at both ends.
    #[test]
    fn quintics_are_polynomials_of_degree_five() {
        let mut rng = Rng::new(1);
        for _ in 0..100 {
            let c: [f64; 6] = core::array::from_fn(|_| rng.signed());
            let power = |k: usize, d: usize, t: f64| {
                let factor: f64 = (0..d).map(|j| k as f64 - j as f64).product();
                if k < d { 0.0 } else { factor * t.powi((k - d) as i32) }
            };
            let jet = |t: f64| [0, 1, 2].map(|d| (0..6).map(|k| c[k] * power(k, d, t)).sum::<f64>());
            let (from, to) = (rng.signed(), 1.2 + rng.uniform());
            for k in 0..=20 {
                let t = from + (to - from) * f64::from(k) / 20.0;
                let got = quintic([from, to], [f64::INFINITY; 3], [jet(from), jet(to)], t);
                assert!((got - jet(t)[0]).abs() < 1e-11, "{t}: {got} {}", jet(t)[0]);
            }
        }
    }

    #[test]
    fn rounded_corners_lie_between_what_they_round() {
        let mut rng = Rng::new(2);
        for _ in 0..500 {
            let (least, width, x) = (rng.signed(), 0.5 * rng.uniform(), 2.0 * rng.signed());
            let y = at_least(least, width, x);
            assert!(y >= x.max(least) && y <= x.max(least) + 0.5 * width + 1e-15, "{least} {width} {x}: {y}");
            let all: Vec<f64> = (0..1 + rng.below(5)).map(|_| rng.signed()).collect();
            let (low, exact) =
                (least_of(width, all.iter().copied()), all.iter().copied().fold(f64::INFINITY, f64::min));
            let most = width * (all.len() as f64).ln();
            assert!(low <= exact && low >= exact - most - 1e-12, "{all:?}: {low}");
        }
        assert!(least_of(0.1, core::iter::empty()) == f64::INFINITY);
    }
}
