//! Detects a file's encoding and converts it to UTF-8. An undecodable byte costs a character
//! (U+FFFD), never a record.

use std::{
    collections::BTreeSet,
    io::{self, Cursor, Read},
};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Decoder, Encoding, GB18030, GBK, ISO_2022_JP, ISO_8859_2, ISO_8859_4, SHIFT_JIS, UTF_8,
    UTF_16BE, UTF_16LE, WINDOWS_1250, WINDOWS_1252, WINDOWS_1254, WINDOWS_1257, WINDOWS_1258,
};
use precedent_core::Hint;
use precedent_text::{tokens::is_stop_word, words::phrases};

const MAX_SAMPLE: usize = 1024 * 1024;

/// The detected encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset {
    pub encoding: &'static Encoding,
    /// Number of undecodable characters.
    pub errors: u64,
    /// Another encoding that is equally likely.
    pub alternative: Option<&'static Encoding>,
}

impl Default for Charset {
    fn default() -> Self {
        Self { encoding: UTF_8, errors: 0, alternative: None }
    }
}

impl Charset {
    /// Returns the name of the encoding, unless it is UTF-8.
    pub fn label(self) -> Option<&'static str> {
        (self.encoding != UTF_8).then(|| self.encoding.name())
    }

    /// Returns a notice if two encodings are equally likely.
    pub fn notice(self) -> Option<Hint> {
        let (encoding, alternative) = (self.encoding.name(), self.alternative?.name());
        let advice = "if letters look wrong, save the file as UTF-8 and import it again";
        Some(format!("read as {encoding}, but it may be {alternative}; {advice}").into())
    }
}

#[derive(Default)]
struct Utf8Counter {
    partial: Vec<u8>,
    /// Number of valid non-ASCII characters.
    valid: u64,
    /// Number of invalid sequences.
    invalid: u64,
    /// Number of invalid sequences that no European encoding uses for letters.
    implausible: u64,
}

impl Utf8Counter {
    fn feed(&mut self, bytes: &[u8]) {
        if self.partial.is_empty() && bytes.is_ascii() {
            return;
        }
        let bytes = [std::mem::take(&mut self.partial).as_slice(), bytes].concat();
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.valid += chunk.valid().bytes().filter(|b| *b >= 0xc0).count() as u64;
            let invalid = chunk.invalid();
            let error = std::str::from_utf8(invalid).err();
            if chunks.peek().is_none() && error.is_some_and(|e| e.error_len().is_none()) {
                // The next bytes may complete the character.
                self.partial = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.invalid += 1;
                self.implausible += u64::from(matches!(invalid[0], 0xfe | 0xff | 0xc0 | 0xc1));
            }
        }
    }
}

/// Detects the encoding of a stream by reading all of it, because a legacy character may be in the
/// last row. `is_whole_file` states whether the stream ends with the file; otherwise, it may end
/// inside a character, so one invalid character is weak evidence.
pub fn detect(mut stream: impl Read, is_whole_file: bool) -> io::Result<Charset> {
    let mut start = Vec::new();
    stream.by_ref().take(64 * 1024).read_to_end(&mut start)?;
    let exact = |encoding| Ok(Charset { encoding, ..Charset::default() });
    if let Some((encoding, _)) = Encoding::for_bom(&start) {
        if encoding != UTF_8 {
            return exact(encoding);
        }
    } else if let Some(encoding) = detect_utf16(&start) {
        return exact(encoding);
    }
    let (mut utf8, mut sample, mut has_escapes) = (Utf8Counter::default(), Vec::new(), false);
    let mut chunk = start;
    loop {
        utf8.feed(&chunk);
        let has_escape = has_iso_2022_jp_escape(&chunk);
        has_escapes |= has_escape;
        if sample.len() < MAX_SAMPLE && (has_escape || !chunk.is_ascii()) {
            sample.extend_from_slice(&chunk);
        }
        chunk.resize(256 * 1024, 0);
        let n = stream.read(&mut chunk)?;
        chunk.truncate(n);
        if n == 0 {
            break;
        }
    }
    // Only at the end of the file is a truncated character an error.
    utf8.invalid += u64::from(is_whole_file && !utf8.partial.is_empty());
    if has_escapes && utf8.valid + utf8.invalid == 0 && guess_encoding(&sample) == ISO_2022_JP {
        return exact(ISO_2022_JP);
    }
    let min_invalid = if is_whole_file { 1 } else { 2 };
    if utf8.invalid < min_invalid || utf8.valid >= utf8.invalid || utf8.implausible == utf8.invalid
    {
        return Ok(Charset { errors: utf8.invalid, ..Charset::default() });
    }
    let (encoding, alternative) = detect_legacy(&sample);
    Ok(Charset { encoding, errors: 0, alternative })
}

/// Returns whether bytes contain an escape sequence of ISO-2022-JP, which is all ASCII.
fn has_iso_2022_jp_escape(bytes: &[u8]) -> bool {
    bytes.contains(&0x1b) && bytes.windows(3).any(|window| matches!(window, b"\x1b$B" | b"\x1b$@"))
}

/// Detects UTF-16 without a byte order mark: it contains zeros, and separators such as spaces and
/// commas are frequent only in the correct byte order.
fn detect_utf16(start: &[u8]) -> Option<&'static Encoding> {
    let start = &start[..start.len().min(4096)];
    if start.len() < 4 || !start.contains(&0) {
        return None;
    }
    let units = |order: fn([u8; 2]) -> u16| {
        start.chunks_exact(2).map(move |pair| order([pair[0], pair[1]]))
    };
    let little_count = count_separators(units(u16::from_le_bytes)).unwrap_or(0);
    let big_count = count_separators(units(u16::from_be_bytes)).unwrap_or(0);
    let min_separators = (start.len() / 128).max(3);
    match () {
        () if little_count >= min_separators && little_count > big_count * 2 => Some(UTF_16LE),
        () if big_count >= min_separators && big_count > little_count * 2 => Some(UTF_16BE),
        () => None,
    }
}

/// Returns the number of separators of words, cells and lines; `None` if it is not text.
fn count_separators(units: impl Iterator<Item = u16>) -> Option<usize> {
    let (mut separator_count, mut letter_count, mut control_count) = (0, 0, 0);
    for letter in char::decode_utf16(units) {
        letter_count += 1;
        match letter {
            // Other ASCII characters may be Chinese characters in the wrong byte order.
            Ok(' ' | ',' | ';' | '\t' | '\n' | '\r' | '"' | ':' | '|') => separator_count += 1,
            Ok(c) if !c.is_control() || c.is_whitespace() => {}
            _ => control_count += 1,
        }
    }
    // The last character may be truncated, and text may contain control sequences.
    (control_count <= 1 + letter_count / 100).then_some(separator_count)
}

fn guess_encoding(sample: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Detects a legacy encoding, and an equally likely second one. Short texts mislead the detector, so
/// known column names and the position of symbols count as well.
fn detect_legacy(sample: &[u8]) -> (&'static Encoding, Option<&'static Encoding>) {
    let guess = match guess_encoding(sample) {
        guess if guess == GBK => GB18030,
        guess => guess,
    };
    let head = &sample[..sample.len().min(4096)];
    let count_names = |encoding: &'static Encoding| {
        let (text, _, _) = encoding.decode(head);
        phrases(COLUMN_NAMES).filter(|word| text.contains(word)).count()
    };
    let candidates = [WINDOWS_1252, GB18030, SHIFT_JIS];
    let best = candidates.into_iter().map(|e| (count_names(e), e)).max_by_key(|(n, _)| *n);
    match best {
        Some((n, encoding)) if n > count_names(guess) => (encoding, None),
        _ if guess.is_single_byte() => choose_latin(sample, guess),
        // Two-byte characters are adjacent; "5 µm" has a single non-ASCII byte.
        _ if sample.windows(2).all(|pair| pair.iter().any(u8::is_ascii)) => (WINDOWS_1252, None),
        _ => (guess, None),
    }
}

/// The single-byte encodings with other letters where Windows-1252 has Western letters and symbols.
const LATIN: &[&Encoding] =
    &[WINDOWS_1250, WINDOWS_1254, WINDOWS_1257, WINDOWS_1258, ISO_8859_2, ISO_8859_4];

/// Chooses between a guess in [`LATIN`] and Windows-1252; also returns the other one if both are
/// plausible. The detector reads "£5" as "Ł5" and "naïve" as "naīve".
fn choose_latin(
    sample: &[u8],
    guess: &'static Encoding,
) -> (&'static Encoding, Option<&'static Encoding>) {
    if !LATIN.contains(&guess) {
        return (guess, None);
    }
    let [eastern, western] = [guess, WINDOWS_1252]
        .map(|page| page.decode_without_bom_handling(sample).0.chars().collect::<Vec<char>>());
    let differences: Vec<usize> =
        (0..western.len()).filter(|index| western[*index] != eastern[*index]).collect();
    let misfits =
        |text: &[char]| differences.iter().filter(|index| is_misfit(text, **index)).count();
    let (eastern_misfits, western_misfits) = (misfits(&eastern), misfits(&western));
    if eastern_misfits != western_misfits {
        return (if eastern_misfits > western_misfits { WINDOWS_1252 } else { guess }, None);
    }
    // Eastern European text has many such letters; Western text has few, in foreign words.
    let letters: BTreeSet<char> = differences.iter().map(|index| western[*index]).collect();
    let english_words: BTreeSet<&[u8]> = sample
        .split(|b| !b.is_ascii_alphabetic())
        .filter(|word| word.len() > 2 && std::str::from_utf8(word).is_ok_and(is_stop_word))
        .take(100)
        .collect();
    let max_rare_letters = match english_words.len() > 1 {
        true => 2,
        false => usize::from([WINDOWS_1257, ISO_8859_4].contains(&guess)),
    };
    match letters.len() {
        0 => (guess, None),
        n if n <= max_rare_letters => (WINDOWS_1252, Some(guess)),
        n => (guess, Some(WINDOWS_1252).filter(|_| n <= 2)),
    }
}

/// Returns whether a character is implausible in its position: a letter alone or next to a digit, a
/// capital or a symbol inside a word.
fn is_misfit(text: &[char], index: usize) -> bool {
    let char_at =
        |index: Option<usize>| index.and_then(|index| text.get(index)).copied().unwrap_or(' ');
    let (previous, c, next) =
        (char_at(index.checked_sub(1)), text[index], char_at(Some(index + 1)));
    let is_letter = |c: char| c.is_alphabetic() && !matches!(c, 'ª' | 'º');
    match c {
        // Only Icelandic uses these letters, and it is rarely misdetected.
        'ð' | 'Ð' | 'þ' | 'Þ' => true,
        'µ' => is_letter(previous),
        _ if is_letter(c) => {
            previous.is_ascii_digit()
                || next.is_ascii_digit()
                || !(is_letter(previous) || is_letter(next))
                || (c.is_uppercase() && previous.is_lowercase())
        }
        '¿' | '¡' | '«' | '©' | '°' | '¬' => is_letter(previous),
        _ => {
            is_letter(next)
                || (is_letter(previous) && !matches!(c, '²' | '³' | '»' | '®' | '™' | 'ª' | 'º'))
        }
    }
}

/// Column names in some languages, with letters that differ between encodings.
const COLUMN_NAMES: &str = "
    标题, 编号, 状态, 描述, 创建, 更新, 主题, 作者, 件名, 題名, 状態, 説明, 作成, 更新日, ステータス, Übergeordnet, Schlüssel, Lösung, Priorität, Résumé, Créé,
    Mis à jour, Fermé, Título, Descrição, Descripción, Situação";

/// A reader that converts a stream to UTF-8 without a byte order mark.
pub struct Utf8Reader<R> {
    inner: R,
    decoder: Decoder,
    input: Vec<u8>,
    output: Cursor<Vec<u8>>,
    is_at_end: bool,
}

impl<R: Read> Utf8Reader<R> {
    pub fn new(inner: R, encoding: &'static Encoding) -> Self {
        Self {
            inner,
            decoder: encoding.new_decoder_with_bom_removal(),
            input: vec![0; 64 * 1024],
            output: Cursor::default(),
            is_at_end: false,
        }
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = self.output.read(buffer)?;
            if n > 0 || self.is_at_end || buffer.is_empty() {
                return Ok(n);
            }
            let n = self.inner.read(&mut self.input)?;
            self.is_at_end = n == 0;
            let max_length =
                self.decoder.max_utf8_buffer_length(n).unwrap_or(n.saturating_mul(3) + 16);
            let mut output = vec![0; max_length];
            let (_, _, written_bytes, _) =
                self.decoder.decode_to_utf8(&self.input[..n], &mut output, self.is_at_end);
            output.truncate(written_bytes);
            self.output = Cursor::new(output);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> (String, String) {
        let charset = detect(bytes, true).unwrap();
        let mut out = String::new();
        Utf8Reader::new(bytes, charset.encoding).read_to_string(&mut out).unwrap();
        (charset.encoding.name().to_owned(), out)
    }

    #[test]
    fn legacy_encodings_are_detected() {
        let german = "ID;Titel;Beschreibung\n1;Ventil öffnet nicht;Der Schieber läuft über die Größe hinaus\n";
        let chinese = "编号,标题,状态\n1,阀门漏水,关闭\n";
        let japanese = "番号,件名,ステータス\n1,バルブが漏れる,完了\n";
        for (name, encoding, text) in [
            ("windows-1252", WINDOWS_1252, german),
            ("gb18030", GB18030, chinese),
            ("Shift_JIS", SHIFT_JIS, japanese),
        ] {
            let bytes = encoding.encode(text).0;
            assert_eq!(decode(&bytes), (name.to_owned(), text.to_owned()));
        }
        let utf16: Vec<u8> = german.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&utf16).1, german);
        assert_eq!(decode(&[&[0xff, 0xfe], &utf16[..]].concat()).1, german);
        let utf16: Vec<u8> = german.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&utf16).1, german);
        assert_eq!(
            decode(&[b"\xef\xbb\xbf", german.as_bytes()].concat()),
            ("UTF-8".to_owned(), german.to_owned())
        );
    }

    #[test]
    fn symbols_do_not_mislead_the_detection() {
        let west = [
            "a till shows £5, £12.50 and 5 £ as a box",
            "the room is 12¾ m², 5 µm ±2 and ¥500 for a label",
            "the printer shows naïve on this label",
            "“smart” – naïve €5",
            "this is from Tromsø for the label",
            "the tool shows 10 µs and ¡hola!",
            "Der Drucker für Jörg kostet 5 £",
            "L'écran gelé coûte £5 à Loïc",
            "La señora pregunta ¿qué pasa? a 5 m³",
        ];
        let east = [
            (WINDOWS_1250, "Błąd drukarki, już są trzy zgłoszenia"),
            (WINDOWS_1250, "Chyba při tisku"),
            (WINDOWS_1250, "Nelze uložit, když kliknu na tlačítko"),
            (WINDOWS_1250, "Eroare la tipărire, maşina stă şi aşteaptă"),
            (WINDOWS_1250, "The store in Łódź and the user Wałęsa are not shown"),
            (ISO_8859_2, "Drukarka nie działa, błąd ścieżki"),
            (WINDOWS_1257, "Pēc atjaunināšanas printeris vairs nedrukā"),
            (WINDOWS_1254, "Yazıcı çalışmıyor, güncelleme sonrası"),
            (encoding_rs::WINDOWS_1253, "Ο εκτυπωτής δεν λειτουργεί"),
            (encoding_rs::WINDOWS_1251, "The user Иванов cannot log in"),
            (encoding_rs::BIG5, "印表機無法運作"),
            (encoding_rs::EUC_KR, "프린터가 작동하지 않습니다"),
        ];
        for (encoding, text) in west.map(|text| (WINDOWS_1252, text)).into_iter().chain(east) {
            let text = format!("Id,Title,State\n1,{text},open\n");
            assert_eq!(decode(&encoding.encode(&text).0).1, text);
        }
        // Without evidence the alternative is reported.
        let alternative =
            |text: &str| detect(WINDOWS_1252.encode(text).0.as_ref(), true).unwrap().alternative;
        assert_eq!(alternative("the printer shows naïve on this label"), Some(ISO_8859_4));
        assert_eq!(alternative("the printer shows £5 on this label"), None);
    }

    #[test]
    fn utf16_is_detected_without_a_mark() {
        for text in [
            "Номер,Тема,Статус\n1,Насос остановился,Открыт\n",
            "编号,标题,状态\n1,阀门一直漏水，一个月了,打开\n",
            "番号,件名\n1,バルブが漏れる\n",
            "번호,제목\n1,밸브가 샌다\n",
            "#,Θέμα\n1,Η αντλία σταμάτησε 🚰\n",
        ] {
            let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            assert_eq!(decode(&little), ("UTF-16LE".to_owned(), text.to_owned()));
            assert_eq!(decode(&big), ("UTF-16BE".to_owned(), text.to_owned()));
        }
        for text in ["a text with one \0 in it and words enough around that", "ab\0\0\0\0cd\0ef\0"]
        {
            assert_eq!(detect(text.as_bytes(), true).unwrap().encoding, UTF_8, "{text:?}");
        }
    }

    #[test]
    fn iso_2022_jp_is_distinguished_from_ansi_colors() {
        let text = b"id,title\n1,\x1b$B%P%k%V$,O3$l$k\x1b(B\n2,\x1b$B%]%s%W\x1b(B\n";
        assert_eq!(
            decode(text),
            ("ISO-2022-JP".to_owned(), "id,title\n1,バルブが漏れる\n2,ポンプ\n".to_owned())
        );
        let log = b"id,title\n1,\x1b[31mred\x1b[0m costs \x1b $5\n";
        assert_eq!(decode(log).0, "UTF-8");
    }

    #[test]
    fn late_legacy_letter_is_detected() {
        let text =
            format!("{{\"a\": \"{}\"}}\n{{\"a\": \"Größe über Öl\"}}\n", "x".repeat(200_000));
        let bytes = WINDOWS_1252.encode(&text).0;
        assert_eq!(detect(bytes.as_ref(), false).unwrap().encoding, WINDOWS_1252);
        assert_eq!(decode(&bytes), ("windows-1252".to_owned(), text));
    }

    #[test]
    fn invalid_byte_costs_one_character() {
        let text = ["Größe, Übergabe\n".as_bytes(), b"bad \xff byte\n"].concat();
        let (name, text) = decode(&text);
        assert_eq!((name.as_str(), text.ends_with("bad \u{fffd} byte\n")), ("UTF-8", true));
        assert_eq!(detect(&b"only \xff"[..], true).unwrap().encoding, UTF_8);
    }
}
