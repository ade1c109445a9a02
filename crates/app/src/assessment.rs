//! Assessment of loaded motions: certificate of a motion as given, and of the filtered motion.

pub mod assistance;
mod clock;
mod filter;

pub use clock::Clock;
pub use filter::{FilterOutcome, filter_and_assess, rest_pose_warning, save};

use crate::loaded_motion::{CAPSULE_FIGURE, LoadedMotion};
use crate::result::CertificateResult;
use anthropi_formats::Error;
use anthropi_motion::assumption::Assumption;
use anthropi_motion::certificate::Certificate;
use anthropi_motion::inverse::{Inverse, Options};
use anthropi_motion::lamps::Lamps;
use anthropi_motion::note::{self, Note};

/// Inverse dynamics of a motion, its certificate and notes.
pub struct Assessment {
    /// ground forces and joint torques
    pub inverse: Inverse,
    /// residuals, contact violations and findings
    pub certificate: Certificate,
    /// notes of the reader and about the ground
    pub notes: Vec<Note>,
    /// what the certificate assumes
    pub assumptions: Vec<Assumption>,
}

impl Assessment {
    /// Assesses a motion as given; limits are widened if the notes say that its soles are estimated.
    pub fn new(inverse: Inverse, notes: Vec<Note>) -> Assessment {
        let assumptions = note::assumptions(&notes);
        let certificate = match assumptions.contains(&Assumption::Soles) {
            true => Certificate::with_estimated_soles(&inverse),
            false => Certificate::from_inverse(&inverse),
        };
        Assessment { certificate, inverse, notes, assumptions }
    }

    /// Of a filtered motion, whose soles are those of the simulated figure.
    fn of_filtered(inverse: Inverse, assumptions: Vec<Assumption>) -> Assessment {
        let notes = inverse.schedule.notes();
        Assessment { certificate: Certificate::from_inverse(&inverse), inverse, notes, assumptions }
    }

    /// The lamps of the certificate.
    pub fn lamps(&self) -> Lamps {
        Lamps {
            physical: self.certificate.physical(),
            faithful: None,
            certain: self.certificate.certain(&self.assumptions),
        }
    }

    /// The serializable result.
    pub fn result(&self) -> CertificateResult {
        CertificateResult::new(&self.inverse, &self.certificate, &self.notes, self.lamps())
    }
}

/// Computes the inverse dynamics and the certificate of a motion; `input` is its name for messages. The body parts of
/// the motion replace those of `options`.
///
/// # Errors
/// A figure without feet, too few frames, implausibly large numbers.
pub fn assess(
    input: &str,
    loaded: &LoadedMotion,
    options: &Options,
    progress: &mut dyn FnMut(f64),
) -> Result<Assessment, Error> {
    let options = Options { parts: loaded.parts.clone(), ..options.clone() };
    let inverse = Inverse::from_clip(&loaded.clip, &options, progress).map_err(|source| {
        // a capsule figure has no feet: the reason why it is one helps more
        let why = loaded.notes.iter().find(|n| n.starts_with(CAPSULE_FIGURE)).map(ToString::to_string);
        Error::Forces { file: input.into(), source, why }
    })?;
    let ground = inverse.schedule.notes().into_iter().chain(inverse.notes.iter().cloned());
    let notes = loaded.notes.iter().cloned().chain(ground).collect();
    Ok(Assessment::new(inverse, notes))
}
