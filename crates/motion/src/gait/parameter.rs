//! Locomotion parameters: any one or two of speed, step length and step frequency give all of them and the times of the
//! phases:
//!     speed = length x frequency                                                       [L1992 eq. 9.1]
//!     length = 0.004 x frequency x height                                              [L1992 eq. 9.2, 9.3]
//!     t_cycle = 2 t_step = 2 / frequency                                               [L1992 eq. 9.4]
//!     t_step = t_stance - t_ds = t_swing + t_ds                                        [L1992 eq. 9.5, 9.6]
//!     t_ds = (29.08 - 0.16 frequency) t_cycle / 100                                    [L1992 eq. 9.7]
//! Frequencies of eq. 9.2 and 9.7 are steps per minute: so a person of 1.70 m who takes 107 steps a minute walks at
//! 1.3 m/s, and double support shrinks to nothing at 182 steps a minute, the highest frequency of walking.
//! Runs have no double support: t_ds < 0 is the time of flight.

use crate::error::Error;

/// Most steps a minute of walking [L1992 §9.4.4].
pub const MOST_FREQUENT: f64 = 182.0;
/// Fewer steps a minute are standing.
pub const LEAST_FREQUENT: f64 = 15.0;
/// Longest step, parts of the length of the legs (hip to sole).
pub const LONGEST: f64 = 1.25;
/// Shortest step, m.
const SHORTEST: f64 = 0.02;
/// Double support is at least this part of the cycle, while it is walking.
const LEAST_DOUBLE: f64 = 0.02;
/// Most steps a minute of running.
const RUN_MOST: f64 = 220.0;
/// Steps a second of running: at no speed, and more per m/s, for a person of 1.70 m; likewise flight as part of the step.
const RUN_PACE: [f64; 2] = [2.6, 0.1];
const RUN_FLIGHT: [f64; 2] = [0.13, 0.07];

/// Whether a foot is on the ground all the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// it is
    #[default]
    Walk,
    /// between steps both are in the air
    Run,
    /// both leave and land together
    Jump,
}

/// What is asked for; what is not said follows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Request {
    /// m/s
    pub speed: Option<f64>,
    /// m
    pub length: Option<f64>,
    /// steps per second
    pub frequency: Option<f64>,
    /// of a jump: rise of the centre of mass after the feet have left, m
    pub height: Option<f64>,
}

/// Who walks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stature {
    /// of the whole figure, m
    pub height: f64,
    /// from hip to sole, m
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
    /// time of a step, s
    pub step: f64,
    /// time of double support, s; below zero the time of flight
    pub double: f64,
    /// of a jump: rise of the centre of mass after the feet have left, m
    pub rise: f64,
}

/// Speed when nothing is asked for, m/s.
pub const USUAL: f64 = 1.3;
/// ...of running.
pub const USUAL_RUN: f64 = 3.0;

impl Parameters {
    /// Parameters of a request.
    ///
    /// # Errors
    /// More than two are given, or what is asked for is outside of what people do.
    pub fn of(request: Request, kind: Kind, who: Stature) -> Result<Parameters, Error> {
        if kind == Kind::Jump {
            return super::jump::parameters(request, who);
        }
        let Request { speed, length, frequency, height } = request;
        if let Some(height) = height {
            let what = format!("a height of {height} m is asked for; only jumps have one");
            return Err(Error::Gait { what });
        }
        for (what, value) in [("speed", speed), ("step length", length), ("step frequency", frequency)] {
            if let Some(value) = value.filter(|v| !(v.is_finite() && *v > 0.0)) {
                let what = format!("the {what} of a gait");
                return Err(Error::OutOfRange { what, value, expected: "a number above zero" });
            }
        }
        // steps per second and metre of step [eq. 9.2]
        let slope = 0.004 * who.height * 60.0;
        let natural = |speed: f64| match kind {
            Kind::Walk => (speed / slope).sqrt(),
            // people run at 160 to 190 steps a minute, hardly more at speed
            _ => (RUN_PACE[0] + RUN_PACE[1] * speed) * (1.7 / who.height).sqrt(),
        };
        let (speed, frequency) = match (speed, length, frequency) {
            (Some(v), Some(l), Some(f)) if (v - l * f).abs() > 1e-6 * v => {
                let what = format!("speed {v} m/s with steps of {l} m at {f} per second; the third of them");
                return Err(Error::OutOfRange { what, value: v, expected: "length x frequency (give two)" });
            }
            (Some(v), _, Some(f)) => (v, f),
            (Some(v), Some(l), None) => (v, v / l),
            (None, Some(l), Some(f)) => (l * f, f),
            (Some(v), None, None) => (v, natural(v)),
            (None, Some(l), None) if kind == Kind::Walk => (l * l / slope, l / slope),
            (None, Some(l), None) => {
                // v = l (a + b v)
                let [a, b] = RUN_PACE.map(|x| x * (1.7 / who.height).sqrt());
                let v = a * l / (1.0 - b * l).max(0.1);
                (v, v / l)
            }
            (None, None, Some(f)) if kind == Kind::Walk => (slope * f * f, f),
            (None, None, Some(f)) => (USUAL_RUN, f),
            (None, None, None) => {
                let v = if kind == Kind::Walk { USUAL } else { USUAL_RUN };
                (v, natural(v))
            }
        };
        let all = Parameters::from(speed, frequency, kind);
        all.check(who)?;
        Ok(all)
    }

    /// A walk at a speed, with the step frequency that belongs to it [eq. 9.3], of a person of a height.
    pub(super) fn walking(speed: f64, height: f64) -> Parameters {
        Parameters::from(speed, (speed / (0.004 * height * 60.0)).sqrt(), Kind::Walk)
    }

    fn from(speed: f64, frequency: f64, kind: Kind) -> Parameters {
        let step = 1.0 / frequency;
        let double = match kind {
            Kind::Walk => {
                let part = (29.08 - 0.16 * 60.0 * frequency) / 100.0;
                part.max(LEAST_DOUBLE) * 2.0 * step
            }
            // flight takes a fourth of the step at 2 m/s and two fifths at 4
            _ => -step * (RUN_FLIGHT[0] + RUN_FLIGHT[1] * speed).clamp(0.15, 0.40),
        };
        Parameters { kind, speed, length: speed * step, frequency, step, double, rise: 0.0 }
    }

    fn check(&self, who: Stature) -> Result<(), Error> {
        let most = if self.kind == Kind::Walk { MOST_FREQUENT } else { RUN_MOST };
        let refuse = |what: String| Err(Error::Gait { what });
        let per_minute = 60.0 * self.frequency;
        if !(per_minute <= most) {
            return refuse(format!(
                "{per_minute:.0} steps a minute are asked for ({:.2} a second, at {:.2} m/s); at most {most} are possible \
                 ({:.2} a second)",
                self.frequency,
                self.speed,
                most / 60.0
            ));
        }
        if !(per_minute >= LEAST_FREQUENT) {
            return refuse(format!(
                "{per_minute:.1} steps a minute are asked for; fewer than {LEAST_FREQUENT} are no walk"
            ));
        }
        let longest = who.leg * if self.kind == Kind::Walk { LONGEST } else { 2.2 };
        if !(self.length <= longest) {
            return refuse(format!(
                "steps of {:.2} m are asked for; legs of {:.2} m allow {longest:.2} m at most",
                self.length, who.leg
            ));
        }
        if !(self.length >= SHORTEST) {
            return refuse(format!("steps of {:.3} m are asked for; the least is {SHORTEST} m", self.length));
        }
        Ok(())
    }

    /// The same gait at another speed, as it is passed through on the way: by eq. 9.3, or in the same rhythm.
    pub fn slower(&self, speed: f64, keeps_rhythm: bool) -> Parameters {
        let frequency = match (self.kind, keeps_rhythm) {
            (Kind::Walk, false) => self.frequency * (speed / self.speed).sqrt(),
            _ => self.frequency,
        };
        Parameters::from(speed, frequency, self.kind)
    }

    /// The same speed with steps that take a whole number of times `dt`.
    pub(super) fn in_whole(&self, dt: f64) -> Parameters {
        let step = (self.step / dt).round().max(1.0) * dt;
        Parameters { rise: self.rise, ..Parameters::from(self.speed, 1.0 / step, self.kind) }
    }

    /// Time of the cycle, s.
    pub fn cycle(&self) -> f64 {
        2.0 * self.step
    }

    /// Time on one foot while the other swings, s.
    pub fn swing(&self) -> f64 {
        self.step - self.double
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHO: Stature = Stature { height: 1.7, leg: 0.89 };

    fn asked(speed: Option<f64>, length: Option<f64>, frequency: Option<f64>) -> Result<Parameters, Error> {
        Parameters::of(Request { speed, length, frequency, height: None }, Kind::Walk, WHO)
    }

    #[test]
    fn two_of_three_give_the_third_and_one_gives_the_natural_rest() {
        let natural = asked(Some(1.3), None, None).unwrap();
        assert!((60.0 * natural.frequency - 107.1).abs() < 0.1 && (natural.length - 0.728).abs() < 1e-3);
        for (l, f) in [(Some(natural.length), None), (None, Some(natural.frequency))] {
            let same = asked(None, l, f).unwrap();
            assert!((same.speed - 1.3).abs() < 1e-12 && (same.length - natural.length).abs() < 1e-12);
        }
        let own = asked(Some(1.2), Some(0.6), None).unwrap();
        assert!((own.frequency - 2.0).abs() < 1e-12 && (own.step - 0.5).abs() < 1e-12);
        assert!((asked(None, Some(0.6), Some(2.0)).unwrap().speed - 1.2).abs() < 1e-12);
        assert!(asked(Some(1.2), Some(0.6), Some(2.0)).is_ok());
        assert!(asked(Some(1.2), Some(0.6), Some(2.1)).is_err());
    }

    #[test]
    fn double_support_is_that_of_people_and_ends_at_182_steps_a_minute() {
        // eq. 9.7 per minute: 29.08 - 0.16 x 107 = 12 % of the cycle; at 181.75 nothing
        let p = asked(Some(1.3), None, None).unwrap();
        assert!((p.double / p.cycle() - 0.1194).abs() < 1e-3, "{}", p.double / p.cycle());
        assert!((p.swing() + p.double - p.step).abs() < 1e-15);
        let double = |per_minute: f64| Parameters::from(1.0, per_minute / 60.0, Kind::Walk);
        let part = |p: Parameters| p.double / p.cycle();
        assert!((part(double(150.0)) - 0.0508).abs() < 1e-12 && part(double(MOST_FREQUENT)) == LEAST_DOUBLE);
        let run = Parameters::of(Request::default(), Kind::Run, WHO).unwrap();
        assert!(run.double < 0.0 && run.swing() > run.step);
    }

    #[test]
    fn what_nobody_does_is_refused_with_the_limit() {
        let told = |r: Result<Parameters, Error>| r.unwrap_err().to_string();
        assert!(told(asked(None, Some(0.7), Some(5.0))).contains("at most 182"));
        assert!(told(asked(None, Some(3.0), Some(1.0))).contains("1.11 m at most"));
        assert!(told(asked(Some(-1.0), None, None)).contains("above zero"));
        assert!(told(asked(Some(f64::NAN), None, None)).contains("above zero"));
        assert!(told(asked(Some(1.0), None, Some(0.1))).contains("no walk"));
    }
}
