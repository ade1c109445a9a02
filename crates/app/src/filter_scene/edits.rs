//! Edits of a motion, by a filter scene or by options.

use anthropi_motion::Clip;
use anthropi_motion::clip::Ease;

/// Default weight of the other motion in a blend.
pub const WEIGHT: f64 = 0.5;
/// Default cross-fade, s.
pub const FADE: f64 = 0.2;

/// Edits of a motion, in the order of their application.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionEdits {
    /// part to keep: start and end, s
    pub cut: Option<(f64, f64)>,
    /// speed factor
    pub speed: Option<f64>,
    /// reverse the motion
    pub reverse: bool,
    /// swap left and right
    pub mirror: bool,
    /// turn of the path: degrees to the left, start and end, s
    pub turn: Option<(f64, f64, f64)>,
    /// motion to blend with: a built-in name or a path
    pub blend: Option<String>,
    /// weight of the other motion in the blend
    pub weight: Option<f64>,
    /// motion to append: a built-in name or a path
    pub join: Option<String>,
    /// number of repetitions
    pub repeat: Option<usize>,
    /// cross-fade, s
    pub fade: Option<f64>,
    /// frames per second
    pub rate: Option<f64>,
}

impl MotionEdits {
    /// Whether there are no edits.
    pub fn is_empty(&self) -> bool {
        *self == MotionEdits { weight: self.weight, fade: self.fade, ..MotionEdits::default() }
    }

    /// These edits; absent ones are those of `other`.
    pub fn or(self, other: &MotionEdits) -> MotionEdits {
        MotionEdits {
            cut: self.cut.or(other.cut),
            speed: self.speed.or(other.speed),
            reverse: self.reverse || other.reverse,
            mirror: self.mirror || other.mirror,
            turn: self.turn.or(other.turn),
            blend: self.blend.or_else(|| other.blend.clone()),
            weight: self.weight.or(other.weight),
            join: self.join.or_else(|| other.join.clone()),
            repeat: self.repeat.or(other.repeat),
            fade: self.fade.or(other.fade),
            rate: self.rate.or(other.rate),
        }
    }

    /// Applies all edits. `other` loads another motion on the figure of this one; `wrong` adds the name of the edit to an
    /// error.
    ///
    /// # Errors
    /// An edit that does not suit the motion; errors of `other`.
    pub fn apply<E>(
        &self,
        mut clip: Clip,
        mut other: impl FnMut(&str, &Clip) -> Result<Clip, E>,
        wrong: impl Fn(&'static str, anthropi_motion::Error) -> E,
    ) -> Result<Clip, E> {
        let (weight, fade) = (self.weight.unwrap_or(WEIGHT), self.fade.unwrap_or(FADE));
        if let Some((from, to)) = self.cut {
            clip = clip.cut(from, to).map_err(|e| wrong("cut", e))?.starting_at(0.0);
        }
        if let Some(speed) = self.speed {
            clip = clip.at_speed(speed).map_err(|e| wrong("speed", e))?;
        }
        if self.reverse {
            clip = clip.reversed();
        }
        if self.mirror {
            clip = clip.mirrored().map_err(|e| wrong("mirror", e))?;
        }
        if let Some((degrees, from, to)) = self.turn {
            clip = clip.turned_path(degrees.to_radians(), from, to).map_err(|e| wrong("turn", e))?;
        }
        if let Some(name) = &self.blend {
            clip = clip.blended(&other(name, &clip)?, |_| weight).map_err(|e| wrong("blend", e))?;
        }
        if let Some(name) = &self.join {
            clip = clip.joined(&other(name, &clip)?, fade, Ease::Quintic).map_err(|e| wrong("join", e))?;
        }
        if let Some(times) = self.repeat {
            clip = clip.looped(times, fade).map_err(|e| wrong("repeat", e))?;
        }
        if let Some(rate) = self.rate {
            clip = clip.resampled(1.0 / rate).map_err(|e| wrong("rate", e))?;
        }
        Ok(clip)
    }
}
