//! Parsing of dates and times in tracker exports, in any supported language. The order of day and
//! month is decided for a whole column.

mod words;

use std::collections::BTreeMap;

use jiff::{
    Timestamp,
    civil::{self, Date, DateTime},
    tz::{Offset, TimeZone},
};
use precedent_text::tokens::fold;
use serde::Deserialize;
use serde_json::Value;

use words::{ZONE_NAMES, is_filler, month};

/// The date format of a column: the order of day and month, or serial numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The day before the month.
    DayFirst,
    /// The month before the day.
    #[default]
    MonthFirst,
    /// A spreadsheet serial number, in days since 1900: 45356.58.
    Serial,
}

impl Order {
    /// Returns the name in messages.
    pub fn label(self) -> &'static str {
        match self {
            Self::DayFirst => "day/month",
            Self::MonthFirst => "month/day",
            Self::Serial => "days since 1900",
        }
    }
}

/// The evidence about the date format of a column, collected from its cells.
#[derive(Clone, Debug, Default)]
pub struct DateColumn {
    /// Number of cells that only one order can parse, by order.
    day_first: u64,
    month_first: u64,
    /// Number of cells that the two orders parse differently, and an example.
    ambiguous_count: u64,
    example: Option<String>,
    /// Number of those cells with dots as separators; month-first dates don't use dots.
    dotted_count: u64,
    /// Unparsable cells with their counts.
    unparsable_cells: BTreeMap<String, u64>,
    /// Number of possible spreadsheet serial numbers, and samples; they are read as dates only if
    /// every cell is such a number.
    serials: u64,
    serial_samples: BTreeMap<String, u64>,
    /// Number of non-empty cells.
    pub cells: u64,
}

/// The maximum number of distinct unparsable cells that are kept.
const MAX_DISTINCT_CELLS: usize = 20;

fn count_sample(cells: &mut BTreeMap<String, u64>, text: &str) {
    let text: String = text.chars().take(40).collect();
    if cells.len() < MAX_DISTINCT_CELLS || cells.contains_key(&text) {
        *cells.entry(text).or_default() += 1;
    }
}

impl DateColumn {
    /// Adds a cell.
    pub fn add_cell(&mut self, text: &str) {
        self.cells += 1;
        let text = text.trim();
        if parse_unambiguous(text).is_some() {
            return;
        }
        if serial(text).is_some() {
            self.serials += 1;
            count_sample(&mut self.serial_samples, text);
            return;
        }
        let parts = DateParts::parse(text);
        if let Some((first, second)) = parts.as_ref().and_then(DateParts::leading_numbers) {
            match (first > 12, second > 12) {
                (true, false) => self.day_first += 1,
                (false, true) => self.month_first += 1,
                (false, false) if first != second => {
                    self.ambiguous_count += 1;
                    self.dotted_count += u64::from(parts.as_ref().is_some_and(|p| p.has_dots));
                    self.example.get_or_insert_with(|| text.to_owned());
                }
                _ => {}
            }
        }
        let is_parsable = parts.is_some_and(|p| {
            p.time().is_some()
                && [Order::DayFirst, Order::MonthFirst].into_iter().any(|o| p.date(o).is_some())
        });
        if !is_parsable {
            count_sample(&mut self.unparsable_cells, text);
        }
    }

    fn is_serial(&self) -> bool {
        self.serials > 0 && self.serials == self.cells
    }

    /// Detects the order from the cells that only one order can parse; without a majority, from
    /// dots as separators.
    pub fn detect_order(&self) -> Option<Order> {
        if self.is_serial() {
            return Some(Order::Serial);
        }
        match self.day_first.cmp(&self.month_first) {
            std::cmp::Ordering::Greater => Some(Order::DayFirst),
            std::cmp::Ordering::Less => Some(Order::MonthFirst),
            std::cmp::Ordering::Equal if self.dotted_count * 2 > self.ambiguous_count => {
                Some(Order::DayFirst)
            }
            std::cmp::Ordering::Equal => None,
        }
    }

    /// Returns an ambiguous cell if the column does not show the order.
    pub fn ambiguous_cell(&self) -> Option<&str> {
        self.example.as_deref().filter(|_| self.detect_order().is_none())
    }

    /// Returns the number of cells that only the other order can parse.
    pub fn contradicting_count(&self, order: Order) -> u64 {
        match order {
            Order::DayFirst => self.month_first,
            Order::MonthFirst => self.day_first,
            Order::Serial => 0,
        }
    }

    /// Returns the unparsable cells with their counts.
    pub fn unparsable_cells(&self) -> impl Iterator<Item = (&str, u64)> {
        let serials = self.serial_samples.iter().filter(|_| !self.is_serial());
        self.unparsable_cells.iter().chain(serials).map(|(text, n)| (text.as_str(), *n))
    }
}

#[derive(Default)]
struct DateParts {
    /// Numbers of the date, each with its digit count.
    numbers: Vec<(u32, usize)>,
    month: Option<i8>,
    /// `true` if the month name may be a weekday: French "mar." is Tuesday.
    may_be_weekday: bool,
    time: Option<(i8, i8, i8, i32)>,
    is_afternoon: Option<bool>,
    offset: Option<i32>,
    /// `true` for an unambiguous date such as 2024年5月3日.
    is_east_asian: bool,
    has_dots: bool,
}

impl DateParts {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > 80 || !text.contains(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let mut parts = Self::default();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if c == '(' {
                // A zone name in parentheses repeats the offset.
                rest = rest.split_once(')').map_or("", |(_, tail)| tail);
            } else if c.is_ascii_digit() {
                rest = parts.parse_number(rest)?;
            } else if matches!(c, '+' | '-' | '−') && parts.time.is_some() && parts.offset.is_none()
            {
                rest = parts.parse_offset(&rest[c.len_utf8()..], c != '+')?;
            } else if c.is_alphabetic() {
                let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
                let (word, tail) = rest.split_at(end);
                parts.parse_word(word, tail)?;
                rest = tail;
            } else {
                parts.has_dots |= c == '.' && parts.time.is_none();
                rest = &rest[c.len_utf8()..];
            }
        }
        Some(parts)
    }

    /// Returns whether the date is complete, so that an hour may follow.
    fn has_date(&self) -> bool {
        self.numbers.len() == if self.month.is_some() { 2 } else { 3 }
    }

    /// Parses a number as part of the date, or as the hour, if the text after it shows that it is
    /// one.
    fn parse_number<'a>(&mut self, rest: &'a str) -> Option<&'a str> {
        let (value, digit_count, tail) = split_digits(rest)?;
        if self.time.is_none() {
            if let Some((separator, minutes)) = self.minutes(tail) {
                return self.parse_clock_time(value, minutes, separator);
            }
            if self.has_date() {
                // An hour without minutes is possible: "3 PM".
                let lower = tail.trim_start().to_lowercase();
                let is_hour =
                    ["am", "pm", "uhr", "a.m", "p.m"].iter().any(|mark| lower.starts_with(mark));
                self.time = Some((i8::try_from(value).ok().filter(|_| is_hour)?, 0, 0, 0));
                return Some(tail);
            }
        }
        if self.numbers.len() == 3 {
            return None;
        }
        self.numbers.push((value, digit_count));
        Some(tail)
    }

    /// Returns the separator after an hour, and the text from the minutes: "15:26", "15h26",
    /// "15 h 26"; "15.26" only after a complete date.
    fn minutes<'a>(&self, rest: &'a str) -> Option<(char, &'a str)> {
        let starts_with_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        if let Some(minutes) = rest.strip_prefix(':') {
            return Some((':', minutes));
        }
        if let Some(minutes) =
            rest.strip_prefix('.').filter(|m| self.has_date() && starts_with_digit(m))
        {
            return Some(('.', minutes));
        }
        let after_space = rest.strip_prefix(' ').unwrap_or(rest);
        let minutes = after_space.strip_prefix(['h', 'H', '時', '时', '시'])?;
        let minutes = if minutes.trim_start().is_empty() { "" } else { minutes };
        let tail = minutes.strip_prefix(' ').unwrap_or(minutes);
        (tail.is_empty() || starts_with_digit(tail)).then_some((':', tail))
    }

    /// Parses the rest of a clock time: minutes, seconds and a fraction.
    fn parse_clock_time<'a>(
        &mut self,
        hour: u32,
        mut input: &'a str,
        separator: char,
    ) -> Option<&'a str> {
        let mut numbers = [0_u32; 2];
        let mut nanos = 0;
        for (i, number) in numbers.iter_mut().enumerate() {
            let Some((value, _, rest)) = split_digits_lossy(input) else { break };
            *number = value;
            input = rest;
            let next = input
                .strip_prefix([separator, '分', 'm'])
                .filter(|a| a.starts_with(|c: char| c.is_ascii_digit()));
            match next {
                Some(rest) if i == 0 => input = rest,
                _ => break,
            }
        }
        if let Some(rest) = input.strip_prefix(['.', ','])
            && rest.starts_with(|c: char| c.is_ascii_digit())
        {
            let (_, digit_count, tail) = split_digits_lossy(rest).unwrap_or((0, 0, rest));
            let fraction: String =
                rest[..digit_count].chars().chain("000000000".chars()).take(9).collect();
            nanos = fraction.parse().ok()?;
            input = tail;
        }
        let to_i8 = |value: u32| i8::try_from(value).ok();
        self.time = Some((to_i8(hour)?, to_i8(numbers[0])?, to_i8(numbers[1])?, nanos));
        Some(input)
    }

    /// Parses an offset from UTC: `+02:00`, `+0200`, `+2`.
    fn parse_offset<'a>(&mut self, rest: &'a str, is_west: bool) -> Option<&'a str> {
        let (value, digit_count, mut tail) = split_digits(rest)?;
        let (hours, mut minutes) =
            if digit_count > 2 { (value / 100, value % 100) } else { (value, 0) };
        if let Some((value, 2, rest)) = tail.strip_prefix(':').and_then(split_digits_lossy) {
            (minutes, tail) = (value, rest);
        }
        let seconds =
            i32::try_from(hours * 3600 + minutes * 60).ok().filter(|s| *s <= 18 * 3600)?;
        self.offset = Some(if is_west { -seconds } else { seconds });
        Some(tail)
    }

    fn parse_word(&mut self, word: &str, rest: &str) -> Option<()> {
        let lower = word.to_lowercase();
        match lower.as_str() {
            "am" | "vorm" | "上午" | "午前" | "오전" | "öö" => {
                self.is_afternoon = Some(false)
            }
            "pm" | "nachm" | "下午" | "午後" | "오후" | "ös" => {
                self.is_afternoon = Some(true)
            }
            // Swedish, after the time; "em" before the date is Portuguese.
            "fm" | "em" if self.time.is_some() => self.is_afternoon = Some(lower == "em"),
            // "a.m." and "p. m.", "π.μ." and "μ.μ."
            "a" | "p" if rest.trim_start_matches(['.', ' ']).to_lowercase().starts_with('m') => {
                self.is_afternoon = Some(lower == "p");
            }
            "π" | "μ" if rest.trim_start_matches(['.', ' ']).to_lowercase().starts_with('μ') => {
                self.is_afternoon = Some(lower == "μ");
            }
            "m" | "μ" if self.is_afternoon.is_some() => {}
            "年" | "月" | "日" | "년" | "월" | "일" => self.is_east_asian = true,
            _ => return self.parse_name(&fold(word), rest),
        }
        Some(())
    }

    /// Parses a folded word: a zone after the time, a month or a weekday.
    fn parse_name(&mut self, word: &str, rest: &str) -> Option<()> {
        if let Some(seconds) = ZONE_NAMES.get(word).filter(|_| self.time.is_some()) {
            // In "GMT+0200", the number determines the offset.
            let has_number = rest.starts_with(['+', '-', '−']);
            self.offset = self.offset.or_else(|| (!has_number).then_some(*seconds));
            return Some(());
        }
        match month(word) {
            // "mar" is a weekday if another month follows.
            Some(month)
                if (self.month.is_none() || self.may_be_weekday) && self.numbers.len() < 3 =>
            {
                self.may_be_weekday =
                    self.month.is_none() && self.numbers.is_empty() && is_filler(word);
                self.month = Some(month);
                Some(())
            }
            month => {
                (month.is_some() || is_filler(word) || ZONE_NAMES.contains_key(word)).then_some(())
            }
        }
    }

    /// Returns the first two of three numbers if neither can be a year.
    fn leading_numbers(&self) -> Option<(u32, u32)> {
        match self.numbers.as_slice() {
            [(a, 1 | 2), (b, 1 | 2), _] if self.month.is_none() && !self.is_east_asian => {
                Some((*a, *b))
            }
            _ => None,
        }
    }

    fn date(&self, order: Order) -> Option<Date> {
        let (year, month, day) = match (self.month, self.numbers.as_slice()) {
            (Some(month), [(a, n), (b, m)]) => {
                let (day, year) = if *n > 2 { ((*b, *m), (*a, *n)) } else { ((*a, *n), (*b, *m)) };
                (year, u32::try_from(month).ok()?, day.0)
            }
            (None, [(y, n), (m, _), (d, _)]) if *n > 2 => ((*y, *n), *m, *d),
            (None, [(a, _), (b, _), (y, n)]) => match order {
                Order::DayFirst => ((*y, *n), *b, *a),
                Order::MonthFirst | Order::Serial => ((*y, *n), *a, *b),
            },
            _ => return None,
        };
        let year = match year {
            (y, 4) => y,
            (y, 1 | 2) if y < 70 => 2000 + y,
            (y, 1 | 2) => 1900 + y,
            _ => return None,
        };
        Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
            .ok()
    }

    fn time(&self) -> Option<civil::Time> {
        let (hour, minute, second, nanos) = self.time.unwrap_or_default();
        let hour = match self.is_afternoon {
            Some(true) if hour < 12 => hour + 12,
            Some(false) if hour == 12 => 0,
            _ => hour,
        };
        civil::Time::new(hour, minute, second.min(59), nanos).ok()
    }
}

fn split_digits(text: &str) -> Option<(u32, usize, &str)> {
    let n = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..n].parse().ok()?, n, &text[n..]))
}

/// Splits off leading digits like [`split_digits`]; a number that overflows is 0.
fn split_digits_lossy(text: &str) -> Option<(u32, usize, &str)> {
    let n = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (n > 0).then(|| (text[..n].parse().unwrap_or(0), n, &text[n..]))
}

/// Parses a Unix time in seconds, milli-, micro- or nanoseconds, by its number of digits.
fn parse_epoch(text: &str) -> Option<Timestamp> {
    let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !integer.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let n: i64 = integer.parse().ok()?;
    match integer.len() {
        9 | 10 => Timestamp::from_second(n).ok(),
        12 | 13 => Timestamp::from_millisecond(n).ok(),
        15 | 16 => Timestamp::from_microsecond(n).ok(),
        18 | 19 => Timestamp::from_nanosecond(i128::from(n)).ok(),
        _ => None,
    }
}

/// Parses `20240503` and `20240503152611`.
fn parse_compact(text: &str) -> Option<Timestamp> {
    let has_only_digits = text.bytes().all(|b| b.is_ascii_digit());
    let form = match text.len() {
        8 if has_only_digits => "%Y%m%d",
        14 if has_only_digits => "%Y%m%d%H%M%S",
        _ => return None,
    };
    let time = match form.len() {
        6 => Date::strptime(form, text).ok()?.to_datetime(civil::Time::midnight()),
        _ => DateTime::strptime(form, text).ok()?,
    };
    to_utc(time)
}

/// Parses .NET's JSON dates: `/Date(1709647380000+0100)/`, in milliseconds since 1970 UTC.
fn parse_dot_net(text: &str) -> Option<Timestamp> {
    let inner = text.trim_matches('/').strip_prefix("Date(")?.strip_suffix(')')?;
    let end = inner.rfind(['+', '-']).filter(|end| *end > 0).unwrap_or(inner.len());
    Timestamp::from_millisecond(inner[..end].parse().ok()?).ok()
}

/// Parses a spreadsheet serial number, in days since the end of 1899, in the years 1970 to 2099.
fn serial(text: &str) -> Option<Timestamp> {
    let (integer, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    if integer.len() != 5 || !integer.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let days: i64 = integer.parse().ok().filter(|days| (25_569..=73_050).contains(days))?;
    let part: f64 = format!("0.{fraction}0").parse().ok()?;
    #[allow(clippy::cast_possible_truncation, reason = "less than a day")]
    let seconds = (part * 86_400.0).round() as i64;
    Timestamp::from_second((days - 25_569) * 86_400 + seconds).ok()
}

fn parse_unambiguous(text: &str) -> Option<Timestamp> {
    text.parse()
        .ok()
        .or_else(|| parse_compact(text))
        .or_else(|| parse_epoch(text))
        .or_else(|| parse_dot_net(text))
}

fn to_utc(time: DateTime) -> Option<Timestamp> {
    time.to_zoned(TimeZone::UTC).ok().map(|z| z.timestamp())
}

/// Returns whether a time is meaningful: 0001-01-01 and the first second of 1970 mean "never".
fn is_meaningful(time: &Timestamp) -> bool {
    *time > Timestamp::UNIX_EPOCH
}

/// A time in a record, in any format; an invalid one does not fail the record.
#[derive(Clone, Copy, Debug)]
pub struct Time(Option<Timestamp>);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Value::deserialize(deserializer)? {
            Value::String(text) => parse(&text, Order::default()),
            Value::Number(number) => parse(&number.to_string(), Order::default()),
            _ => None,
        }))
    }
}

/// Returns the time in a field, if it is valid.
pub fn time(field: Option<Time>) -> Option<Timestamp> {
    field?.0
}

/// Parses a time in any format; without a zone it is UTC. `order` applies to three numbers of
/// which none is clearly the year.
pub fn parse(text: &str, order: Order) -> Option<Timestamp> {
    parse_any(text.trim(), order).filter(is_meaningful)
}

fn parse_any(text: &str, order: Order) -> Option<Timestamp> {
    if let Some(time) = parse_unambiguous(text) {
        return Some(time);
    }
    if order == Order::Serial {
        return serial(text);
    }
    let parts = DateParts::parse(text)?;
    let time = parts.date(order)?.to_datetime(parts.time()?);
    match parts.offset {
        Some(offset) => Offset::from_seconds(offset).ok()?.to_timestamp(time).ok(),
        None => to_utc(time),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse_day_first(text: &str) -> Option<String> {
        parse(text, Order::DayFirst).map(|t| t.to_string())
    }

    fn column(cells: &[&str]) -> DateColumn {
        let mut column = DateColumn::default();
        cells.iter().for_each(|c| column.add_cell(c));
        column
    }

    #[test]
    fn tracker_formats_are_parsed() {
        let want = Some("2024-05-03T15:26:00Z".to_owned());
        for text in "2024-05-03T15:26:00Z|2024-05-03 15:26|2024/05/03 15:26:00|\
                     2024-05-03T17:26:00.000+0200|2024-05-03 17:26:00 +0200|2024-05-03 15:26:00 UTC|\
                     2024-05-03 15:26:00.0|03/May/24 3:26 PM|03/May/24 15:26|3-May-2024 15:26|\
                     03.Mai.2024 15:26|3. Mai 2024, 15:26 Uhr|03/mai/24 3:26 PM|3 mai 2024 à 15:26|\
                     3 de mayo de 2024 15:26|03/mag/24 15:26|3 мая 2024 г. 15:26|3 maja 2024 15:26|\
                     May 3, 2024, 3:26:00 PM|May 3, 2024 3:26 p.m.|\
                     Fri May 03 2024 17:26:00 GMT+0200 (Central European Summer Time)|\
                     Fri, 3 May 2024 15:26:00 +0000|03/05/2024 15:26|03.05.2024 15:26|3.5.24 15:26|\
                     2024年5月3日 15:26|2024/5/3 下午3:26|1714749960|1714749960000|1714749960000000|\
                     20240503152600"
            .split('|')
        {
            assert_eq!(parse_day_first(text), want, "{text}");
        }
        assert_eq!(parse_day_first("21/déc./24 3:26 PM").as_deref(), Some("2024-12-21T15:26:00Z"));
        assert_eq!(parse_day_first("5 března 2024").as_deref(), Some("2024-03-05T00:00:00Z"));
        assert_eq!(parse_day_first("12/Jan/24 12:05 AM").as_deref(), Some("2024-01-12T00:05:00Z"));
        for invalid in
            "|0001-01-01T00:00:00Z|1970-01-01 00:00:00|0|45356|45356.58|soon|yesterday|2.4|n/a|\
                     May|31/31/2024|2024-13-40|12:30|Sprint 12"
                .split('|')
        {
            assert_eq!(parse_day_first(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn zone_names_set_the_offset() {
        for (text, want) in [
            ("2024-03-05 14:03:00 CET", "2024-03-05T13:03:00Z"),
            ("2024-07-05 14:03:00 CEST", "2024-07-05T12:03:00Z"),
            ("2024-07-05 14:03 MESZ", "2024-07-05T12:03:00Z"),
            ("2024-07-05 14:03 BST", "2024-07-05T13:03:00Z"),
            ("2024-03-05 14:03:00 MSK", "2024-03-05T11:03:00Z"),
            ("2024-03-05 14:03:00 JST", "2024-03-05T05:03:00Z"),
            ("Tue Mar 5 14:03:00 PST 2024", "2024-03-05T22:03:00Z"),
            ("Tue Mar  5 14:03:00 UTC 2024", "2024-03-05T14:03:00Z"),
            ("Tue, 05 Mar 2024 14:03:00 EST", "2024-03-05T19:03:00Z"),
            ("Mar 5, 2024 2:03 PM EDT", "2024-03-05T18:03:00Z"),
            ("5 Mar 24 16:03 GMT", "2024-03-05T16:03:00Z"),
            ("Tue Mar 05 2024 14:03:00 GMT-0600 (CST)", "2024-03-05T20:03:00Z"),
            ("2024-03-05 14:03:00 +0100 CET", "2024-03-05T13:03:00Z"),
        ] {
            assert_eq!(parse_day_first(text).as_deref(), Some(want), "{text}");
        }
        assert_eq!(parse_day_first("2024-03-05 14:03 XYZ"), None);
    }

    #[test]
    fn human_and_database_formats_are_parsed() {
        let want = Some("2024-03-05T14:03:00Z".to_owned());
        for text in "5 mars 2024 à 14 h 03|5 mars 2024 à 14h03|5 mars 2024 14 h 03 min|\
                     5 de março de 2024 às 14:03|5 de marzo de 2024 a las 14:03 h|/Date(1709647380000)/|\
                     /Date(1709647380000+0100)/|05-MAR-2024 02.03.00 PM|05-MAR-24 02.03.00.000000 PM|\
                     05.3.2024 14.03|2024-03-05-14.03.00|05/Mar/24 2:03 ÖS|5 Mart 2024 Salı 14:03|\
                     MART 5, 2024 14:03|5 marca 2024 14:03|2024. márc. 5. 14:03|5 Μαρτίου 2024 2:03 μ.μ.|\
                     5 maaliskuuta 2024 klo 14.03|5 березня 2024 14:03|2024년 3월 5일 오후 2시 3분|\
                     2024年3月5日 14時03分"
            .split('|')
        {
            assert_eq!(parse_day_first(text), want, "{text}");
        }
        for (text, want) in [
            ("1er mars 2024", "2024-03-01"),
            ("1 Şubat 2024", "2024-02-01"),
            ("1 ŞUBAT 2024", "2024-02-01"),
            ("1 Nisan 2024", "2024-04-01"),
            ("1 NİSAN 2024", "2024-04-01"),
            ("1 Ağustos 2024", "2024-08-01"),
            ("1 AGUSTOS 2024", "2024-08-01"),
            ("1 Ekim 2024", "2024-10-01"),
            ("1 Kasım 2024", "2024-11-01"),
            ("1 Aralık 2024", "2024-12-01"),
            ("1 aout 2024", "2024-08-01"),
        ] {
            assert_eq!(parse_day_first(text), Some(format!("{want}T00:00:00Z")), "{text}");
        }
        for text in
            ["mar. 5 févr. 2024", "Pazartesi, 5 Şubat 2024", "lun 5 feb 2024", "Mon Feb 5 2024"]
        {
            assert_eq!(parse_day_first(text).as_deref(), Some("2024-02-05T00:00:00Z"), "{text}");
        }
        assert_eq!(parse_day_first("mars 5, 2024").as_deref(), Some("2024-03-05T00:00:00Z"));
        assert_eq!(parse_day_first("May 3, 2024 3 PM").as_deref(), Some("2024-05-03T15:00:00Z"));
    }

    #[test]
    fn serial_numbers_need_a_whole_column() {
        let sheet = column(&["45356.585416667", "45357"]);
        assert_eq!(
            (sheet.detect_order(), sheet.unparsable_cells().count()),
            (Some(Order::Serial), 0)
        );
        let parse_serial = |text| parse(text, Order::Serial).map(|t| t.to_string());
        assert_eq!(parse_serial("45356.585416667").as_deref(), Some("2024-03-05T14:03:00Z"));
        assert_eq!(parse_serial("45357").as_deref(), Some("2024-03-06T00:00:00Z"));
        let mix = column(&["45356.5", "2024-03-05"]);
        assert_eq!(
            (mix.detect_order(), mix.unparsable_cells().collect::<Vec<_>>()),
            (None, vec![("45356.5", 1)])
        );
        let small = column(&["7", "12", "4711"]);
        assert_eq!((small.detect_order(), small.unparsable_cells().count()), (None, 3));
    }

    #[test]
    fn column_has_one_date_order() {
        assert_eq!(column(&["03/05/2024", "21/05/2024"]).detect_order(), Some(Order::DayFirst));
        assert_eq!(column(&["5/3/2024", "5/21/2024"]).detect_order(), Some(Order::MonthFirst));
        assert_eq!(column(&["03.05.2024", "04.05.2024"]).detect_order(), Some(Order::DayFirst));
        let ambiguous_column = column(&["03/05/2024", "04/05/2024", "soon"]);
        assert_eq!(
            (ambiguous_column.detect_order(), ambiguous_column.ambiguous_cell()),
            (None, Some("03/05/2024"))
        );
        assert_eq!(ambiguous_column.unparsable_cells().collect::<Vec<_>>(), [("soon", 1)]);
        assert_eq!(column(&["2024-05-03", "May 3, 2024"]).ambiguous_cell(), None);
        let dates = column(&["21/05/2024", "22/05/2024"]);
        assert_eq!(dates.contradicting_count(Order::DayFirst), 0);
        assert_eq!(dates.contradicting_count(Order::MonthFirst), 2);
    }

    proptest! {
        #[test]
        fn formatted_time_round_trips(second in 1_i64..4_000_000_000) {
            let time = Timestamp::from_second(second).unwrap();
            let utc_time = time.to_zoned(TimeZone::UTC);
            for form in [
                "%Y-%m-%d %H:%M:%S", "%d/%m/%Y %H:%M:%S", "%d.%m.%Y %I:%M:%S %p", "%a %b %d %Y %H:%M:%S GMT+0000 (GMT)",
                "%d/%b/%Y %I:%M:%S %p", "%B %d, %Y, %H:%M:%S", "%Y年%m月%d日 %H:%M:%S",
            ] {
                let text = utc_time.strftime(form).to_string();
                prop_assert_eq!(parse(&text, Order::DayFirst), Some(time), "{}", text);
            }
        }

        #[test]
        fn parser_never_panics(text in "\\PC{0,60}") {
            let _ = parse(&text, Order::DayFirst);
            DateColumn::default().add_cell(&text);
        }
    }
}
