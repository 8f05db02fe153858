//! Decoding of escapes that keeps the position of each byte in the original text.

use std::ops::Range;

/// The maximum number of decoded layers of JSON, URL and HTML escapes.
pub(super) const MAX_LAYERS: usize = 3;
/// The maximum length of an escape in bytes.
const MAX_ESCAPE: usize = 24;
/// The HTML entities for characters that can occur in tokens: each name, followed by its character.
const ENTITIES: &str = "amp& lt< gt> quot\" apos' plus+ equals= sol/ bsol\\ percnt% num# colon: \
                        semi; comma, period. lowbar_ hyphen- dash- ast* commat@ dollar$ excl! \
                        quest? Hat^ verbar| lpar( rpar)";

pub(super) struct DecodedText {
    pub(super) bytes: Vec<u8>,
    /// The start of each byte in the original text, followed by the end of the last one.
    starts: Vec<usize>,
}

impl DecodedText {
    pub(super) fn plain(text: &[u8]) -> Self {
        Self { bytes: text.to_vec(), starts: (0..=text.len()).collect() }
    }

    /// Decodes one layer of escapes; `None` if there are none.
    pub(super) fn decode(&self) -> Option<Self> {
        let mut out = Self { bytes: Vec::new(), starts: Vec::new() };
        let (mut position, mut has_escape) = (0, false);
        while let Some(byte) = self.bytes.get(position) {
            let rest = &self.bytes[position..self.bytes.len().min(position + MAX_ESCAPE)];
            let escape = match byte {
                b'\\' => parse_backslash(rest),
                b'%' => rest.get(1..3).and_then(|digits| parse_hex(digits, 2)).map(|c| (c, 3)),
                b'&' => parse_entity(rest),
                _ => None,
            };
            let start = self.starts[position];
            match escape {
                Some((code, length)) => {
                    has_escape = true;
                    let mut buffer = [0; 4];
                    let text: &[u8] = match (byte, u8::try_from(code)) {
                        // URL escapes encode bytes, other escapes characters.
                        (b'%', Ok(byte)) => {
                            buffer[0] = byte;
                            &buffer[..1]
                        }
                        _ => char::from_u32(code)
                            .unwrap_or('\u{fffd}')
                            .encode_utf8(&mut buffer)
                            .as_bytes(),
                    };
                    for byte in text {
                        out.bytes.push(*byte);
                        out.starts.push(start);
                    }
                    position += length;
                }
                None => {
                    out.bytes.push(*byte);
                    out.starts.push(start);
                    position += 1;
                }
            }
        }
        out.starts.push(*self.starts.last()?);
        has_escape.then_some(out)
    }

    /// Returns the range in the original text for a range of the decoded bytes.
    pub(super) fn original_range(&self, range: &Range<usize>) -> Range<usize> {
        self.starts[range.start]..self.starts[range.end]
    }
}

/// Parses a number of exactly `digits` hexadecimal digits.
fn parse_hex(text: &[u8], digits: usize) -> Option<u32> {
    let text = text.get(..digits)?;
    text.iter().all(u8::is_ascii_hexdigit).then(|| parse_number(text, 16)).flatten()
}

fn parse_number(digits: &[u8], radix: u32) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()
}

/// Parses `\u003d`, `\u{3d}`, `\x3d`, `\/` and similar escapes; returns the character and the
/// length.
fn parse_backslash(text: &[u8]) -> Option<(u32, usize)> {
    match *text.get(1)? {
        b'u' if text.get(2) == Some(&b'{') => {
            let end = text.iter().position(|b| *b == b'}')?;
            Some((parse_number(text.get(3..end)?, 16)?, end + 1))
        }
        b'u' => Some((parse_hex(text.get(2..)?, 4)?, 6)),
        b'x' => Some((parse_hex(text.get(2..)?, 2)?, 4)),
        b'n' => Some((u32::from(b'\n'), 2)),
        b'r' => Some((u32::from(b'\r'), 2)),
        b't' => Some((u32::from(b'\t'), 2)),
        b'b' => Some((8, 2)),
        b'f' => Some((12, 2)),
        punctuation if punctuation.is_ascii_punctuation() => Some((u32::from(punctuation), 2)),
        _ => None,
    }
}

/// Parses `&#61;`, `&#x3d;` or `&equals;`; returns the character and the length.
fn parse_entity(text: &[u8]) -> Option<(u32, usize)> {
    let digits = |start: usize, is_digit: fn(&u8) -> bool| {
        let end =
            text.get(start..)?.iter().position(|b| !is_digit(b)).map_or(text.len(), |n| start + n);
        // The semicolon may be missing.
        (end > start).then(|| (start..end, end + usize::from(text.get(end) == Some(&b';'))))
    };
    match text.get(1..3)? {
        [b'#', b'x' | b'X'] => {
            let (range, end) = digits(3, u8::is_ascii_hexdigit)?;
            Some((parse_number(&text[range], 16)?, end))
        }
        [b'#', _] => {
            let (range, end) = digits(2, u8::is_ascii_digit)?;
            Some((parse_number(&text[range], 10)?, end))
        }
        _ => {
            let end = text.iter().position(|b| *b == b';')?;
            let name = text.get(1..end)?;
            let mut entities =
                ENTITIES.split(' ').filter_map(|entity| entity.as_bytes().split_last());
            let (character, _) = entities.find(|(_, key)| *key == name)?;
            Some((u32::from(*character), end + 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_escape_is_decoded() {
        for (text, expected) in [
            (r"a\u003db", "a=b"),
            (r"a\u{3d}b", "a=b"),
            (r"a\x3db", "a=b"),
            (r"a\/b\\c", r"a/b\c"),
            ("a%3db%3Dc", "a=b=c"),
            ("a&#61;b&#x3D;c&equals;d&amp;e", "a=b=c=d&e"),
            ("a&#61b", "a=b"),
            (r"gr\u00fcn %C3%BC", "grün ü"),
        ] {
            let decoded = DecodedText::plain(text.as_bytes()).decode().unwrap();
            assert_eq!(String::from_utf8_lossy(&decoded.bytes), expected, "{text}");
            assert_eq!(decoded.starts.len(), decoded.bytes.len() + 1, "{text}");
        }
        for text in ["", "plain", r"\", r"\u00", "%", "%4", "%zz", "&", "&#;", "&nope;", r"\u{"] {
            let result = DecodedText::plain(text.as_bytes()).decode().map(|d| d.bytes);
            assert_eq!(result, None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn positions_never_decrease(text in "[a\\\\u0%&#x;{}=3d]{0,40}") {
            let mut layer = DecodedText::plain(text.as_bytes());
            while let Some(next) = layer.decode() {
                proptest::prop_assert!(next.bytes.len() <= layer.bytes.len());
                proptest::prop_assert!(next.starts.is_sorted());
                layer = next;
            }
        }
    }
}
