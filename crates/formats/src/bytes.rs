//! Checked access to the bytes of a binary file, with numbers in the three byte orders of C3D files.

use crate::error::Error;

/// Number format of the writing processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processor {
    /// little endian, IEEE floats
    Intel,
    /// little endian, VAX F floats
    Dec,
    /// big endian, IEEE floats
    Sgi,
}

impl Processor {
    /// From the code in the parameter section: 84, 85, 86.
    pub fn from_code(code: u8) -> Option<Processor> {
        match code {
            84 => Some(Processor::Intel),
            85 => Some(Processor::Dec),
            86 => Some(Processor::Sgi),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Processor::Intel => "Intel",
            Processor::Dec => "DEC",
            Processor::Sgi => "SGI/MIPS",
        }
    }

    /// An integer from its two bytes.
    pub fn word(self, b: &[u8]) -> u16 {
        let b = [b[0], b[1]];
        match self {
            Processor::Intel | Processor::Dec => u16::from_le_bytes(b),
            Processor::Sgi => u16::from_be_bytes(b),
        }
    }

    /// A number from its four bytes.
    pub fn real(self, b: &[u8]) -> f64 {
        let b = [b[0], b[1], b[2], b[3]];
        match self {
            Processor::Intel => f64::from(f32::from_le_bytes(b)),
            Processor::Sgi => f64::from(f32::from_be_bytes(b)),
            Processor::Dec => vax_f([b[2], b[3], b[0], b[1]]),
        }
    }
}

/// A VAX F number, with its halves in order: 0.1m * 2^(e - 128).
fn vax_f(b: [u8; 4]) -> f64 {
    let bits = u32::from_le_bytes(b);
    let (is_negative, exponent, fraction) = (bits >> 31 == 1, (bits >> 23) & 0xff, bits & 0x7f_ffff);
    match (exponent, is_negative) {
        (0, false) => return 0.0,
        (0, true) => return f64::NAN, // a reserved operand
        _ => {}
    }
    // as a double: exponent bias 1023, hidden bit before the point instead of after it
    let double = u64::from(exponent + 1023 - 129) << 52 | u64::from(fraction) << 29;
    let size = f64::from_bits(double);
    if is_negative { -size } else { size }
}

/// The file, with checked access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a> {
    pub data: &'a [u8],
    pub file: &'a str,
    pub processor: Processor,
}

impl<'a> Bytes<'a> {
    pub fn error(&self, at: usize, field: impl Into<String>, what: impl Into<String>) -> Error {
        Error::binary(self.file, at, field, what)
    }

    pub fn slice(&self, at: usize, len: usize, field: &str) -> Result<&'a [u8], Error> {
        at.checked_add(len).and_then(|end| self.data.get(at..end)).ok_or_else(|| {
            self.error(at, field, format!("expected {len} bytes here, but the file has {}", self.data.len()))
        })
    }

    pub fn byte(&self, at: usize, field: &str) -> Result<u8, Error> {
        Ok(self.slice(at, 1, field)?[0])
    }

    pub fn word(&self, at: usize, field: &str) -> Result<u16, Error> {
        Ok(self.processor.word(self.slice(at, 2, field)?))
    }

    pub fn real(&self, at: usize, field: &str) -> Result<f64, Error> {
        Ok(self.processor.real(self.slice(at, 4, field)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vax_numbers_are_converted() {
        // 1.0 is stored as 80 40 00 00, -0.1 as cc be cd cc (IEEE of four times the value, halves swapped)
        let dec = Processor::Dec;
        assert_eq!(dec.real(&[0x80, 0x40, 0, 0]), 1.0);
        assert_eq!(dec.real(&[0, 0, 0, 0]), 0.0);
        for x in [-0.1f32, 0.281_181_87, 1.0e-30, -4.25, 12345.678] {
            let b = (x * 4.0).to_le_bytes();
            assert_eq!(dec.real(&[b[2], b[3], b[0], b[1]]), f64::from(x));
        }
        assert!(dec.real(&[0, 0x80, 0, 0]).is_nan());
    }
}
