//! Office documents: workbooks as tables, and emails saved by Outlook.

use std::io::{Cursor, Read};

use calamine::{Data, Reader};

/// The properties of a saved email.
const SUBJECT: &str = "0037";
const HEADERS: &str = "007D";
const SENDER: &str = "0C1A";
const ADDRESSES: &[&str] = &["5D01", "0C1F"];
const TEXT: &str = "1000";
const ID: &str = "1035";
const IN_REPLY_TO: &str = "1042";
const SENT_TIME: u32 = 0x0039_0040;

/// Returns the sheets of a workbook as tables, each with its name; `None` if it is not a workbook.
pub fn sheets(bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut book = calamine::open_workbook_auto_from_rs(Cursor::new(bytes)).ok()?;
    let mut out = Vec::new();
    for name in book.sheet_names() {
        let Ok(range) = book.worksheet_range(&name) else { continue };
        let mut table = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        for row in range.rows() {
            let cells = row.iter().map(|cell| match cell {
                Data::DateTime(time) => format_time(*time),
                Data::Float(number) if number.fract() == 0.0 => format!("{number:.0}"),
                cell => cell.to_string(),
            });
            table.write_record(cells).ok()?;
        }
        out.push((name, table.into_inner().ok()?));
    }
    Some(out)
}

fn format_time(time: calamine::ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// Converts an email saved by Outlook to the internet format; `None` for any other file.
pub fn outlook_email(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut file = cfb::CompoundFile::open(Cursor::new(bytes)).ok()?;
    let mut properties = Vec::new();
    file.open_stream("__properties_version1.0").ok()?.read_to_end(&mut properties).ok()?;
    let mut text = |property: &str| {
        let mut bytes = Vec::new();
        let unicode_name = format!("__substg1.0_{property}001F");
        if let Ok(mut stream) = file.open_stream(&unicode_name) {
            stream.read_to_end(&mut bytes).ok()?;
            return Some(encoding_rs::UTF_16LE.decode(&bytes).0.into_owned());
        }
        file.open_stream(format!("__substg1.0_{property}001E"))
            .ok()?
            .read_to_end(&mut bytes)
            .ok()?;
        Some(encoding_rs::WINDOWS_1252.decode(&bytes).0.into_owned())
    };
    let single_line =
        |text: Option<String>| text.map(|t| t.replace(['\r', '\n', '\0'], " ")).unwrap_or_default();
    let subject = single_line(text(SUBJECT));
    let body = text(TEXT).unwrap_or_default();
    let headers = text(HEADERS).filter(|headers| headers.contains(':'));
    let sender = single_line(text(SENDER));
    let address =
        single_line(ADDRESSES.iter().find_map(|name| text(name)).filter(|a| a.contains('@')));
    let (id, in_reply_to) = (single_line(text(ID)), single_line(text(IN_REPLY_TO)));
    let mut out = String::new();
    let mut push = |name: &str, value: &str| {
        if !value.trim().is_empty() {
            out.push_str(&format!("{name}: {}\r\n", value.trim()));
        }
    };
    match headers {
        // The content headers describe parts that are not stored.
        Some(headers) => {
            let lines = headers.lines().scan(true, |is_included, line| {
                if !line.starts_with([' ', '\t']) {
                    *is_included =
                        !line.to_ascii_lowercase().starts_with("content-") && line.contains(':');
                }
                Some(is_included.then_some(line))
            });
            let lines: Vec<&str> = lines.flatten().collect();
            out.push_str(&lines.join("\r\n"));
            out.push_str("\r\n");
        }
        None => {
            push("From", &format!("\"{}\" <{address}>", sender.replace('"', "'")));
            push("Subject", &subject);
            push("Message-ID", &id);
            push("In-Reply-To", &in_reply_to);
            push("Date", &sent_time(&properties).unwrap_or_default());
        }
    }
    out.push_str("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n");
    out.push_str(&body.replace('\0', ""));
    Some(out.into_bytes())
}

/// Returns the sending time from the fixed properties, which follow a header of 32 bytes.
fn sent_time(properties: &[u8]) -> Option<String> {
    let entry = properties.get(32..)?.chunks_exact(16).find(|entry| {
        entry.first_chunk::<4>().is_some_and(|tag| u32::from_le_bytes(*tag) == SENT_TIME)
    })?;
    // 100 ns since 1601.
    let ticks = u64::from_le_bytes(*entry.last_chunk::<8>()?);
    let seconds = i64::try_from(ticks / 10_000_000).ok()? - 11_644_473_600;
    let time = jiff::Timestamp::from_second(seconds).ok()?;
    jiff::fmt::rfc2822::to_string(&time.to_zoned(jiff::tz::TimeZone::UTC)).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn saved_mail_becomes_internet_mail() {
        let message = |subject: &str| {
            let email = saved_email(subject);
            assert!(precedent_markup::message::is_mail(&email));
            precedent_markup::message::parse(&email).unwrap()
        };
        let email = message("Pump stops");
        assert_eq!((email.subject.as_str(), email.author.as_deref()), ("Pump stops", Some("Ada")));
        assert!(email.text.contains("PMP-4") && email.text.contains("Über"));
        assert_eq!(email.date, Some("2025-03-03T09:00:00Z".parse().unwrap()));
        // Outlook stores no empty subject.
        assert!(message("").text.contains("PMP-4"));
        assert_eq!(super::outlook_email(b"text"), None);
    }

    fn saved_email(subject: &str) -> Vec<u8> {
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        let utf16 =
            |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let mut add =
            |name: &str, bytes: &[u8]| file.create_stream(name).unwrap().write_all(bytes).unwrap();
        if !subject.is_empty() {
            add("__substg1.0_0037001F", &utf16(subject));
        }
        add("__substg1.0_0C1A001F", &utf16("Ada"));
        add("__substg1.0_5D01001F", &utf16("ada@mill.example"));
        add("__substg1.0_1000001F", &utf16("It stops with PMP-4.\r\nÜber Nacht."));
        let mut properties = vec![0; 32];
        properties.extend(SENT_TIME.to_le_bytes());
        properties.extend([0; 4]);
        properties.extend(((1_740_992_400_u64 + 11_644_473_600) * 10_000_000).to_le_bytes());
        add("__properties_version1.0", &properties);
        file.flush().unwrap();
        outlook_email(file.into_inner().get_ref()).unwrap()
    }
}
