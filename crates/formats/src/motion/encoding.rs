//! Text decoding: many motion files are not UTF-8, which affects only names.

const LATIN_1: &str = "the text is not UTF-8; read as Latin-1";
const UTF_16: &str = "the text is UTF-16";

/// The text without its byte order mark, and a note if it is not UTF-8.
pub(super) fn decode(bytes: Vec<u8>) -> (String, Option<String>) {
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => return (utf_16(rest, u16::from_le_bytes), Some(UTF_16.into())),
        [0xfe, 0xff, rest @ ..] => return (utf_16(rest, u16::from_be_bytes), Some(UTF_16.into())),
        _ => {}
    }
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            if text.starts_with('\u{feff}') {
                text.drain(..'\u{feff}'.len_utf8());
            }
            (text, None)
        }
        Err(e) => (e.into_bytes().into_iter().map(char::from).collect(), Some(LATIN_1.into())),
    }
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|b| unit([b[0], b[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_encodings_are_decoded() {
        assert_eq!(decode("\u{feff}Hüfte".into()), ("Hüfte".into(), None));
        assert_eq!(decode(b"H\xfcfte".to_vec()), ("Hüfte".into(), Some(LATIN_1.into())));
        for (mark, unit) in
            [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)]
        {
            let bytes = mark.into_iter().chain("Hüfte".encode_utf16().flat_map(unit)).collect();
            assert_eq!(decode(bytes), ("Hüfte".into(), Some(UTF_16.into())));
        }
        assert_eq!(decode(vec![0xff, 0xfe, 0x41]).0, "");
    }
}
