//! File container: chunks of JSON and bytes, or JSON with the bytes as base64.

use super::Form;
use super::buffer::Buffer;
use crate::base64::base64;
use crate::error::Error;
use serde_json::{Value, json};

const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
/// Bytes of the file header and of a chunk header.
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

pub(super) fn write(mut document: Value, buffer: Buffer, form: Form) -> Result<Vec<u8>, Error> {
    let Buffer { bytes, views, accessors, has_overflow } = buffer;
    if has_overflow {
        let what = format!("numbers beyond {:e}", f32::MAX);
        return Err(Error::NotRepresentable { format: "glTF", what });
    }
    document["buffers"] = json!([{ "byteLength": bytes.len() }]);
    document["bufferViews"] = views.into();
    document["accessors"] = accessors.into();
    if form == Form::Text {
        let uri = format!("data:application/octet-stream;base64,{}", base64(&bytes));
        document["buffers"][0]["uri"] = uri.into();
        return Ok(document.to_string().into_bytes());
    }
    let mut text = document.to_string().into_bytes();
    pad(&mut text, b' ');
    let mut bytes = bytes;
    pad(&mut bytes, 0);
    let length = HEADER + 2 * CHUNK_HEADER + text.len() + bytes.len();
    let Ok(length) = u32::try_from(length) else {
        let what = format!("{length} bytes in one file");
        return Err(Error::NotRepresentable { format: "glTF", what });
    };
    let mut file = Vec::with_capacity(length as usize);
    file.extend(MAGIC);
    file.extend(VERSION.to_le_bytes());
    file.extend(length.to_le_bytes());
    for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &bytes)] {
        // fits, as the total does
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    Ok(file)
}

/// Pads to a multiple of four.
fn pad(bytes: &mut Vec<u8>, with: u8) {
    bytes.resize(bytes.len().next_multiple_of(4), with);
}
