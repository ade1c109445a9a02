//! A motion changed as a scene of the filter or options ask.

use anthropi_motion::Clip;
use anthropi_motion::clip::Ease;

/// Part of the other motion in a mix, and seconds one motion fades into the next, where nothing is said.
const WEIGHT: f64 = 0.5;
const FADE: f64 = 0.2;

/// How a motion is changed, in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// the part between two times, s
    pub cut: Option<(f64, f64)>,
    /// times as fast
    pub speed: Option<f64>,
    /// backward
    pub reverse: bool,
    /// left becomes right
    pub mirror: bool,
    /// degrees to the left, from when and until when, s
    pub turn: Option<(f64, f64, f64)>,
    /// mixed with another motion: a built-in one or a path
    pub blend: Option<String>,
    /// how much of the other motion is in the mix
    pub weight: Option<f64>,
    /// goes on with another motion: a built-in one or a path
    pub join: Option<String>,
    /// so many times
    pub repeat: Option<usize>,
    /// how long one motion becomes the next, s
    pub fade: Option<f64>,
    /// frames a second
    pub rate: Option<f64>,
}

impl Changes {
    /// The motion with all of them made. `other` finds the other motions, on the figure of this one; `wrong` is told
    /// which change a mistake belongs to.
    ///
    /// # Errors
    /// A change that cannot be made; another motion that cannot be had.
    pub fn made<E>(
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
