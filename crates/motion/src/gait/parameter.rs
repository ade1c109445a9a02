//! Locomotion parameters: any one or two of speed, step length and step frequency determine the others and the phase
//! durations:
//!     speed = length x frequency                                                       [L1992 eq. 9.1]
//!     length = 0.004 x frequency x height                                              [L1992 eq. 9.2, 9.3]
//!     t_cycle = 2 t_step = 2 / frequency                                               [L1992 eq. 9.4]
//!     t_step = t_stance - t_ds = t_swing + t_ds                                        [L1992 eq. 9.5, 9.6]
//!     t_ds = (29.08 - 0.16 frequency) t_cycle / 100                                    [L1992 eq. 9.7]
//! Eq. 9.2 and 9.7 take the frequency in steps per minute: a person of 1.70 m at 107 steps per minute walks at 1.3 m/s,
//! and double support vanishes at 182 steps per minute, the highest walking frequency.
//! Running has no double support: t_ds < 0 is minus the flight time.

use super::refuse;
use crate::error::Error;
use serde::Serialize;

/// Slope of eq. 9.2: step length per step per minute and metre of stature.
const LENGTH_PER_FREQUENCY: f64 = 0.004;
/// Default speeds, m/s.
const DEFAULT_WALK_SPEED: f64 = 1.3;
const DEFAULT_RUN_SPEED: f64 = 3.0;
/// Limits of the step frequency, steps per minute: walking [L1992 §9.4.4], running, and the slowest gait.
const MAX_WALK_PER_MINUTE: f64 = 182.0;
const MAX_RUN_PER_MINUTE: f64 = 220.0;
const MIN_PER_MINUTE: f64 = 15.0;
/// Longest step as a fraction of leg length (hip to sole): walking, running.
const MAX_WALK_STEP: f64 = 1.25;
const MAX_RUN_STEP: f64 = 2.2;
/// Shortest step, m.
const MIN_STEP: f64 = 0.02;
/// Least double support in walking, fraction of the cycle.
const MIN_DOUBLE_SUPPORT: f64 = 0.02;
/// Stature that sizes of the gait model are stated for, m.
pub(super) const REFERENCE_STATURE: f64 = 1.7;
/// Running at [`REFERENCE_STATURE`]: step frequency at zero speed, 1/s, and its increase per m/s of speed.
const RUN_FREQUENCY: [f64; 2] = [2.6, 0.1];
/// Flight as a fraction of the step at zero speed, and its increase per m/s of speed.
const RUN_FLIGHT: [f64; 2] = [0.13, 0.07];

/// Kind of gait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// at least one foot on the ground at all times
    #[default]
    Walk,
    /// a flight phase between steps
    Run,
    /// both feet leave and land together
    Jump,
}

/// Requested pace; omitted values follow from the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PaceRequest {
    /// m/s
    pub speed: Option<f64>,
    /// m
    #[serde(rename = "step_length")]
    pub length: Option<f64>,
    /// steps per second
    #[serde(rename = "step_frequency")]
    pub frequency: Option<f64>,
    /// jumps: rise of the centre of mass after take-off, m
    #[serde(rename = "jump_height")]
    pub height: Option<f64>,
}

/// Body size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stature {
    /// body height, m
    pub height: f64,
    /// leg length from hip to sole, m
    pub leg: f64,
}

/// All locomotion parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// walking, running or jumping
    pub kind: Kind,
    /// m/s
    pub speed: f64,
    /// m
    pub length: f64,
    /// steps per second
    pub frequency: f64,
    /// step duration, s
    pub step: f64,
    /// duration of double support, s; negative: flight
    pub double: f64,
    /// jumps: rise of the centre of mass after take-off, m
    pub rise: f64,
}

impl Parameters {
    /// Completes a requested pace.
    ///
    /// # Errors
    /// Three values that contradict each other, or a pace outside the human range.
    pub fn from_request(request: PaceRequest, kind: Kind, stature: Stature) -> Result<Parameters, Error> {
        if kind == Kind::Jump {
            return super::jump::parameters(request, stature);
        }
        let PaceRequest { speed, length, frequency, height } = request;
        if let Some(height) = height {
            return refuse(format!("a jump height of {height} m is requested, but the gait is no jump"));
        }
        for (what, value) in [("speed", speed), ("step length", length), ("step frequency", frequency)] {
            if let Some(value) = value.filter(|v| !(v.is_finite() && *v > 0.0)) {
                let what = format!("the {what} of a gait");
                return Err(Error::OutOfRange { what, value, expected: "a number above zero" });
            }
        }
        // step length per step frequency in 1/s [eq. 9.2]
        let slope = LENGTH_PER_FREQUENCY * stature.height * 60.0;
        let run_scale = (REFERENCE_STATURE / stature.height).sqrt();
        let natural = |speed: f64| match kind {
            Kind::Walk => (speed / slope).sqrt(),
            _ => (RUN_FREQUENCY[0] + RUN_FREQUENCY[1] * speed) * run_scale,
        };
        let (speed, frequency) = match (speed, length, frequency) {
            (Some(v), Some(l), Some(f)) if (v - l * f).abs() > 1e-6 * v => {
                let what = format!("speed with steps of {l} m at {f} per second");
                return Err(Error::OutOfRange { what, value: v, expected: "length x frequency (give two)" });
            }
            (Some(v), _, Some(f)) => (v, f),
            (Some(v), Some(l), None) => (v, v / l),
            (None, Some(l), Some(f)) => (l * f, f),
            (Some(v), None, None) => (v, natural(v)),
            (None, Some(l), None) if kind == Kind::Walk => (l * l / slope, l / slope),
            (None, Some(l), None) => {
                // v = l (a + b v)
                let [a, b] = RUN_FREQUENCY.map(|x| x * run_scale);
                let v = a * l / (1.0 - b * l).max(0.1);
                (v, v / l)
            }
            (None, None, Some(f)) if kind == Kind::Walk => (slope * f * f, f),
            (None, None, Some(f)) => (DEFAULT_RUN_SPEED, f),
            (None, None, None) => {
                let v = if kind == Kind::Walk { DEFAULT_WALK_SPEED } else { DEFAULT_RUN_SPEED };
                (v, natural(v))
            }
        };
        let all = Parameters::new(speed, frequency, kind);
        all.check(stature)?;
        Ok(all)
    }

    /// Natural walk at a speed [eq. 9.3] for a body height.
    pub(super) fn walking(speed: f64, height: f64) -> Parameters {
        Parameters::new(speed, (speed / (LENGTH_PER_FREQUENCY * height * 60.0)).sqrt(), Kind::Walk)
    }

    fn new(speed: f64, frequency: f64, kind: Kind) -> Parameters {
        let step = 1.0 / frequency;
        let double = match kind {
            Kind::Walk => double_support(frequency).max(MIN_DOUBLE_SUPPORT) * 2.0 * step,
            _ => -step * (RUN_FLIGHT[0] + RUN_FLIGHT[1] * speed).clamp(0.15, 0.40),
        };
        Parameters { kind, speed, length: speed * step, frequency, step, double, rise: 0.0 }
    }

    fn check(&self, stature: Stature) -> Result<(), Error> {
        let is_walk = self.kind == Kind::Walk;
        let max = if is_walk { MAX_WALK_PER_MINUTE } else { MAX_RUN_PER_MINUTE };
        let per_minute = 60.0 * self.frequency;
        if !(per_minute <= max) {
            return refuse(format!(
                "{per_minute:.0} steps per minute are requested ({:.2} per second, at {:.2} m/s); the maximum is {max} \
                 ({:.2} per second)",
                self.frequency,
                self.speed,
                max / 60.0
            ));
        }
        if !(per_minute >= MIN_PER_MINUTE) {
            return refuse(format!(
                "{per_minute:.1} steps per minute are requested; the minimum is {MIN_PER_MINUTE}"
            ));
        }
        let longest = stature.leg * if is_walk { MAX_WALK_STEP } else { MAX_RUN_STEP };
        if !(self.length <= longest) {
            return refuse(format!(
                "steps of {:.2} m are requested; the maximum for legs of {:.2} m is {longest:.2} m",
                self.length, stature.leg
            ));
        }
        if !(self.length >= MIN_STEP) {
            return refuse(format!(
                "steps of {:.3} m are requested; the minimum is {MIN_STEP} m",
                self.length
            ));
        }
        Ok(())
    }

    /// The same gait at another speed, for acceleration and braking: frequency by eq. 9.3, or unchanged.
    pub(super) fn at_speed(&self, speed: f64, keeps_rhythm: bool) -> Parameters {
        let frequency = match (self.kind, keeps_rhythm) {
            (Kind::Walk, false) => self.frequency * (speed / self.speed).sqrt(),
            _ => self.frequency,
        };
        Parameters::new(speed, frequency, self.kind)
    }

    /// The same speed with the step duration rounded to a multiple of `dt`.
    pub(super) fn rounded(&self, dt: f64) -> Parameters {
        let step = (self.step / dt).round().max(1.0) * dt;
        Parameters { rise: self.rise, ..Parameters::new(self.speed, 1.0 / step, self.kind) }
    }

    /// Whether eq. 9.7 gives less double support than the minimum that is kept.
    pub fn is_at_least_double_support(&self) -> bool {
        self.kind == Kind::Walk && double_support(self.frequency) < MIN_DOUBLE_SUPPORT - 1e-9
    }

    /// Duration of the gait cycle, s.
    pub fn cycle(&self) -> f64 {
        2.0 * self.step
    }

    /// Duration of the swing phase, s.
    pub fn swing(&self) -> f64 {
        self.step - self.double
    }
}

/// Double support, fraction of the cycle [L1992 eq. 9.7].
fn double_support(frequency: f64) -> f64 {
    (29.08 - 0.16 * 60.0 * frequency) / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATURE: Stature = Stature { height: 1.7, leg: 0.89 };

    fn complete(
        speed: Option<f64>,
        length: Option<f64>,
        frequency: Option<f64>,
    ) -> Result<Parameters, Error> {
        Parameters::from_request(PaceRequest { speed, length, frequency, height: None }, Kind::Walk, STATURE)
    }

    #[test]
    fn two_values_give_the_third_and_one_value_gives_the_natural_pace() {
        let natural = complete(Some(1.3), None, None).unwrap();
        assert!((60.0 * natural.frequency - 107.1).abs() < 0.1 && (natural.length - 0.728).abs() < 1e-3);
        for (l, f) in [(Some(natural.length), None), (None, Some(natural.frequency))] {
            let same = complete(None, l, f).unwrap();
            assert!((same.speed - 1.3).abs() < 1e-12 && (same.length - natural.length).abs() < 1e-12);
        }
        let own = complete(Some(1.2), Some(0.6), None).unwrap();
        assert!((own.frequency - 2.0).abs() < 1e-12 && (own.step - 0.5).abs() < 1e-12);
        assert!((complete(None, Some(0.6), Some(2.0)).unwrap().speed - 1.2).abs() < 1e-12);
        assert!(complete(Some(1.2), Some(0.6), Some(2.0)).is_ok());
        assert!(complete(Some(1.2), Some(0.6), Some(2.1)).is_err());
    }

    #[test]
    fn double_support_follows_eq_9_7_and_vanishes_at_182_steps_per_minute() {
        // 29.08 - 0.16 x 107 = 12 % of the cycle; zero at 181.75
        let p = complete(Some(1.3), None, None).unwrap();
        assert!((p.double / p.cycle() - 0.1194).abs() < 1e-3, "{}", p.double / p.cycle());
        assert!((p.swing() + p.double - p.step).abs() < 1e-15);
        let double = |per_minute: f64| Parameters::new(1.0, per_minute / 60.0, Kind::Walk);
        let part = |p: Parameters| p.double / p.cycle();
        assert!(
            (part(double(150.0)) - 0.0508).abs() < 1e-12
                && part(double(MAX_WALK_PER_MINUTE)) == MIN_DOUBLE_SUPPORT
        );
        let run = Parameters::from_request(PaceRequest::default(), Kind::Run, STATURE).unwrap();
        assert!(run.double < 0.0 && run.swing() > run.step);
    }

    #[test]
    fn paces_outside_the_human_range_are_refused_with_the_limit() {
        let message = |r: Result<Parameters, Error>| r.unwrap_err().to_string();
        assert!(message(complete(None, Some(0.7), Some(5.0))).contains("the maximum is 182"));
        assert!(message(complete(None, Some(3.0), Some(1.0))).contains("legs of 0.89 m is 1.11 m"));
        assert!(message(complete(Some(-1.0), None, None)).contains("above zero"));
        assert!(message(complete(Some(f64::NAN), None, None)).contains("above zero"));
        assert!(message(complete(Some(1.0), None, Some(0.1))).contains("the minimum is 15"));
    }
}
