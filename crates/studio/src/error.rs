//! Error messages for the user.

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub String);

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

macro_rules! from {
    ($($kind:ty),*) => {
        $(impl From<$kind> for Error {
            fn from(error: $kind) -> Error {
                Error(error.to_string())
            }
        })*
    };
}

from!(anthropi_dynamics::Error, anthropi_motion::Error, anthropi_formats::Error, serde_json::Error);
