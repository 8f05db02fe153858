//! Times as trackers write them. A cell is taken apart into its parts whatever the language; in which order day and month
//! stand is decided over a whole column, never cell by cell.

use std::collections::BTreeMap;

use jiff::{
    Timestamp,
    civil::{Date, DateTime, Time},
    tz::{Offset, TimeZone},
};

/// In which order three numbers name a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The day before the month.
    DayFirst,
    /// The month before the day.
    #[default]
    MonthFirst,
}

impl Order {
    /// As it is told.
    pub fn words(self) -> &'static str {
        match self {
            Self::DayFirst => "day/month",
            Self::MonthFirst => "month/day",
        }
    }
}

/// What the cells of a column say of its form.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Cells that only one order can read, by order.
    day_first: u64,
    month_first: u64,
    /// Cells that both can read, and differ in; one of them.
    either: u64,
    example: Option<String>,
    /// Those of them that are divided by points, as no one does who puts the month first.
    points: u64,
    /// Cells that nobody can read, and the first of them.
    unread: BTreeMap<String, u64>,
    /// How many cells hold something.
    pub cells: u64,
}

impl Seen {
    /// How many different unreadable cells are kept.
    const KEPT: usize = 20;

    /// Looks at a cell.
    pub fn cell(&mut self, text: &str) {
        self.cells += 1;
        let text = text.trim();
        if plain(text).is_some() {
            return;
        }
        let parts = Parts::of(text);
        if let Some((first, second)) = parts.as_ref().and_then(Parts::pair) {
            match (first > 12, second > 12) {
                (true, false) => self.day_first += 1,
                (false, true) => self.month_first += 1,
                (false, false) if first != second => {
                    self.either += 1;
                    self.points += u64::from(parts.as_ref().is_some_and(|p| p.point));
                    self.example.get_or_insert_with(|| text.to_owned());
                }
                _ => {}
            }
        }
        let readable = parts.is_some_and(|p| {
            p.time().is_some()
                && [Order::DayFirst, Order::MonthFirst].into_iter().any(|o| p.date(o).is_some())
        });
        if !readable {
            let text: String = text.chars().take(40).collect();
            if self.unread.len() < Self::KEPT || self.unread.contains_key(&text) {
                *self.unread.entry(text).or_default() += 1;
            }
        }
    }

    /// The order, if the cells tell: by what only one of them can read, else by the points.
    pub fn order(&self) -> Option<Order> {
        match self.day_first.cmp(&self.month_first) {
            std::cmp::Ordering::Greater => Some(Order::DayFirst),
            std::cmp::Ordering::Less => Some(Order::MonthFirst),
            std::cmp::Ordering::Equal if self.points * 2 > self.either => Some(Order::DayFirst),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// A cell that can be read both ways, if nothing in the column tells which is meant.
    pub fn doubtful(&self) -> Option<&str> {
        self.example.as_deref().filter(|_| self.order().is_none())
    }

    /// Cells that contradict the order of the others.
    pub fn against(&self) -> u64 {
        self.day_first.min(self.month_first)
    }

    /// What nobody can read, with how often.
    pub fn unread(&self) -> impl Iterator<Item = (&str, u64)> {
        self.unread.iter().map(|(text, n)| (text.as_str(), *n))
    }
}

/// Months by the beginnings of their names, in the languages that trackers write them in; of two that fit the longer counts.
const MONTHS: &[(&str, i8)] = &[
    ("jan", 1),
    ("jän", 1),
    ("gen", 1),
    ("ene", 1),
    ("sty", 1),
    ("янв", 1),
    ("led", 1),
    ("oca", 1),
    ("janv", 1),
    ("feb", 2),
    ("fév", 2),
    ("fev", 2),
    ("feb", 2),
    ("lut", 2),
    ("фев", 2),
    ("úno", 2),
    ("şub", 2),
    ("mar", 3),
    ("mär", 3),
    ("mrz", 3),
    ("mrt", 3),
    ("maa", 3),
    ("мар", 3),
    ("bře", 3),
    ("mars", 3),
    ("apr", 4),
    ("avr", 4),
    ("abr", 4),
    ("kwi", 4),
    ("апр", 4),
    ("dub", 4),
    ("nis", 4),
    ("may", 5),
    ("mai", 5),
    ("maj", 5),
    ("mag", 5),
    ("mei", 5),
    ("мая", 5),
    ("май", 5),
    ("kvě", 5),
    ("mayı", 5),
    ("jun", 6),
    ("juin", 6),
    ("giu", 6),
    ("cze", 6),
    ("июн", 6),
    ("čer", 6),
    ("červen", 6),
    ("haz", 6),
    ("jul", 7),
    ("juil", 7),
    ("lug", 7),
    ("lip", 7),
    ("июл", 7),
    ("červenec", 7),
    ("července", 7),
    ("tem", 7),
    ("aug", 8),
    ("aoû", 8),
    ("aou", 8),
    ("ago", 8),
    ("sie", 8),
    ("авг", 8),
    ("srp", 8),
    ("ağu", 8),
    ("sep", 9),
    ("set", 9),
    ("wrz", 9),
    ("сен", 9),
    ("zář", 9),
    ("eyl", 9),
    ("oct", 10),
    ("okt", 10),
    ("out", 10),
    ("ott", 10),
    ("paź", 10),
    ("окт", 10),
    ("říj", 10),
    ("eki", 10),
    ("nov", 11),
    ("lis", 11),
    ("ноя", 11),
    ("kas", 11),
    ("dec", 12),
    ("dez", 12),
    ("déc", 12),
    ("dic", 12),
    ("gru", 12),
    ("дек", 12),
    ("pro", 12),
    ("ara", 12),
    ("des", 12),
];

/// Words that may stand in a time and say nothing of it: days of the week by their beginnings, zones that are UTC, particles.
const OTHERS: &[&str] = &[
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "mo", "di", "mi", "do", "fr", "sa", "so", "lun", "mar",
    "mer", "mié", "jeu", "jue", "ven", "vie", "sam", "sáb", "sab", "dim", "dom", "gio", "seg", "ter", "qua",
    "qui", "sex", "пн", "вт", "ср", "чт", "пт", "сб", "вс", "gmt", "utc", "z", "t", "at", "um", "uhr", "à",
    "de", "del", "of", "st", "nd", "rd", "th", "den", "la", "las", "a", "г", "в", "kl", "o", "om", "le",
    "el", "年", "月", "日", "년", "월", "일", "時", "分", "秒", "时", "ute", "heure", "heures",
];

/// A time taken apart.
#[derive(Default)]
struct Parts {
    /// The numbers of the day, with how many digits each has.
    dates: Vec<(u32, usize)>,
    month: Option<(i8, usize)>,
    time: Option<(i8, i8, i8, i32)>,
    afternoon: Option<bool>,
    offset: Option<i32>,
    /// 2024年5月3日, which is in no doubt.
    far_east: bool,
    /// Whether points divide the numbers.
    point: bool,
}

impl Parts {
    fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > 80 || !text.contains(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let mut parts = Self::default();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if c == '(' {
                // A zone's name, which the offset before it says already.
                rest = rest.split_once(')').map_or("", |(_, after)| after);
            } else if c.is_ascii_digit() {
                rest = parts.number(rest)?;
            } else if matches!(c, '+' | '-' | '−') && parts.time.is_some() && parts.offset.is_none() {
                rest = parts.zone(&rest[c.len_utf8()..], c != '+')?;
            } else if c.is_alphabetic() {
                let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                parts.word(word, after)?;
                rest = after;
            } else {
                parts.point |= c == '.' && parts.time.is_none();
                rest = &rest[c.len_utf8()..];
            }
        }
        Some(parts)
    }

    /// A number: of the day, or the hour if a colon follows.
    fn number<'a>(&mut self, rest: &'a str) -> Option<&'a str> {
        let (value, digits, after) = digits(rest)?;
        let hour = after.strip_prefix(':').or_else(|| {
            let after = after.strip_prefix(['h', 'H', '時', '时'])?;
            (after.is_empty() || after.starts_with(|c: char| c.is_ascii_digit())).then_some(after)
        });
        let Some(mut after) = hour.filter(|_| self.time.is_none()) else {
            if self.dates.len() == 3 {
                // "15" of "3:26 PM" apart, an hour alone may follow: "3 PM".
                let lower = after.trim_start().to_lowercase();
                let hour = lower.starts_with("am") || lower.starts_with("pm") || lower.starts_with("uhr");
                self.time =
                    (hour && self.time.is_none()).then(|| Some((i8::try_from(value).ok()?, 0, 0, 0)))?;
                return self.time.map(|_| after);
            }
            self.dates.push((value, digits));
            return Some(after);
        };
        let mut numbers = [0_u32; 2];
        let mut nanos = 0;
        for (i, place) in numbers.iter_mut().enumerate() {
            let Some((value, _, rest)) = digits_of(after) else { break };
            *place = value;
            after = rest;
            let divided =
                after.strip_prefix([':', '分', 'm']).filter(|a| a.starts_with(|c: char| c.is_ascii_digit()));
            match divided {
                Some(rest) if i == 0 => after = rest,
                _ => break,
            }
        }
        if let Some(rest) = after.strip_prefix(['.', ','])
            && rest.starts_with(|c: char| c.is_ascii_digit())
        {
            let (_, n, tail) = digits_of(rest).unwrap_or((0, 0, rest));
            let fraction: String = rest[..n].chars().chain("000000000".chars()).take(9).collect();
            nanos = fraction.parse().ok()?;
            after = tail;
        }
        let small = |n: u32| i8::try_from(n).ok();
        self.time = Some((small(value)?, small(numbers[0])?, small(numbers[1])?, nanos));
        Some(after)
    }

    /// An offset from UTC: `+02:00`, `+0200`, `+2`.
    fn zone<'a>(&mut self, rest: &'a str, west: bool) -> Option<&'a str> {
        let (value, n, mut after) = digits(rest)?;
        let (hours, mut minutes) = if n > 2 { (value / 100, value % 100) } else { (value, 0) };
        if let Some((value, 2, rest)) = after.strip_prefix(':').and_then(digits_of) {
            (minutes, after) = (value, rest);
        }
        let seconds = i32::try_from(hours * 3600 + minutes * 60).ok().filter(|s| *s <= 18 * 3600)?;
        self.offset = Some(if west { -seconds } else { seconds });
        Some(after)
    }

    fn word(&mut self, word: &str, after: &str) -> Option<()> {
        let word = word.to_lowercase();
        match word.as_str() {
            "am" | "vorm" | "上午" | "午前" | "오전" => self.afternoon = Some(false),
            "pm" | "nachm" | "下午" | "午後" | "오후" => self.afternoon = Some(true),
            // "a.m." and "p. m."
            "a" | "p" if after.trim_start_matches(['.', ' ']).to_lowercase().starts_with('m') => {
                self.afternoon = Some(word == "p");
            }
            "m" if self.afternoon.is_some() => {}
            "年" | "月" | "日" | "년" | "월" | "일" => self.far_east = true,
            "utc" | "gmt" | "z" => self.offset = self.offset.or(after.is_empty().then_some(0)),
            _ => {
                let month = MONTHS.iter().filter(|(m, _)| word.starts_with(m)).max_by_key(|(m, _)| m.len());
                match month {
                    // "mar" is a Tuesday too; it is none where a month stands already or numbers for all three do.
                    Some((_, month)) if self.month.is_none() && self.dates.len() < 3 => {
                        self.month = Some((*month, self.dates.len()));
                    }
                    _ => {
                        let known = OTHERS
                            .iter()
                            .any(|o| word == *o || (o.chars().count() > 2 && word.starts_with(o)));
                        (month.is_some() || known).then_some(())?;
                    }
                }
            }
        }
        Some(())
    }

    /// The first two of three numbers, neither of which can be a year.
    fn pair(&self) -> Option<(u32, u32)> {
        match self.dates.as_slice() {
            [(a, 1 | 2), (b, 1 | 2), _] if self.month.is_none() && !self.far_east => Some((*a, *b)),
            _ => None,
        }
    }

    fn date(&self, order: Order) -> Option<Date> {
        let (year, month, day) = match (self.month, self.dates.as_slice()) {
            (Some((month, _)), [(a, n), (b, m)]) => {
                let (day, year) = if *n > 2 { ((*b, *m), (*a, *n)) } else { ((*a, *n), (*b, *m)) };
                (year, u32::try_from(month).ok()?, day.0)
            }
            (None, [(y, n), (m, _), (d, _)]) if *n > 2 => ((*y, *n), *m, *d),
            (None, [(a, _), (b, _), (y, n)]) => match order {
                Order::DayFirst => ((*y, *n), *b, *a),
                Order::MonthFirst => ((*y, *n), *a, *b),
            },
            _ => return None,
        };
        let year = match year {
            (y, 4) => y,
            (y, 1 | 2) if y < 70 => 2000 + y,
            (y, 1 | 2) => 1900 + y,
            _ => return None,
        };
        Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
    }

    fn time(&self) -> Option<Time> {
        let (hour, minute, second, nanos) = self.time.unwrap_or_default();
        let hour = match self.afternoon {
            Some(true) if hour < 12 => hour + 12,
            Some(false) if hour == 12 => 0,
            _ => hour,
        };
        Time::new(hour, minute, second.min(59), nanos).ok()
    }
}

fn digits(text: &str) -> Option<(u32, usize, &str)> {
    let n = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..n].parse().ok()?, n, &text[n..]))
}

/// As [`digits`], of a fraction too, whose number may be longer than one holds.
fn digits_of(text: &str) -> Option<(u32, usize, &str)> {
    let n = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (n > 0).then(|| (text[..n].parse().unwrap_or(0), n, &text[n..]))
}

/// Seconds, milli-, micro- or nanoseconds since 1970, by how many there are.
fn epoch(text: &str) -> Option<Timestamp> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let n: i64 = whole.parse().ok()?;
    match whole.len() {
        9 | 10 => Timestamp::from_second(n).ok(),
        12 | 13 => Timestamp::from_millisecond(n).ok(),
        15 | 16 => Timestamp::from_microsecond(n).ok(),
        18 | 19 => Timestamp::from_nanosecond(i128::from(n)).ok(),
        _ => None,
    }
}

/// `20240503` and `20240503152611`.
fn packed(text: &str) -> Option<Timestamp> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let form = match text.len() {
        8 if digits => "%Y%m%d",
        14 if digits => "%Y%m%d%H%M%S",
        _ => return None,
    };
    let time = match form.len() {
        6 => Date::strptime(form, text).ok()?.to_datetime(Time::midnight()),
        _ => DateTime::strptime(form, text).ok()?,
    };
    utc(time)
}

/// A time in a form of which there is but one reading.
fn plain(text: &str) -> Option<Timestamp> {
    text.parse().ok().or_else(|| packed(text)).or_else(|| epoch(text))
}

fn utc(time: DateTime) -> Option<Timestamp> {
    time.to_zoned(TimeZone::UTC).ok().map(|z| z.timestamp())
}

/// A time in whatever form; without a zone it is taken as UTC. `order` is for three numbers of which none is plainly the year's.
pub fn read(text: &str, order: Order) -> Option<Timestamp> {
    let text = text.trim();
    if let Some(time) = plain(text) {
        return Some(time);
    }
    let parts = Parts::of(text)?;
    let time = parts.date(order)?.to_datetime(parts.time()?);
    match parts.offset {
        Some(offset) => Offset::from_seconds(offset).ok()?.to_timestamp(time).ok(),
        None => utc(time),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Option<String> {
        read(text, Order::DayFirst).map(|t| t.to_string())
    }

    #[test]
    fn the_forms_that_trackers_write() {
        let want = Some("2024-05-03T15:26:00Z".to_owned());
        for text in [
            "2024-05-03T15:26:00Z",
            "2024-05-03 15:26",
            "2024/05/03 15:26:00",
            "2024-05-03T17:26:00.000+0200",
            "2024-05-03 17:26:00 +0200",
            "2024-05-03 15:26:00 UTC",
            "2024-05-03 15:26:00.0",
            "03/May/24 3:26 PM",
            "03/May/24 15:26",
            "3-May-2024 15:26",
            "03.Mai.2024 15:26",
            "3. Mai 2024, 15:26 Uhr",
            "03/mai/24 3:26 PM",
            "3 mai 2024 à 15:26",
            "3 de mayo de 2024 15:26",
            "03/mag/24 15:26",
            "3 мая 2024 г. 15:26",
            "3 maja 2024 15:26",
            "May 3, 2024, 3:26:00 PM",
            "May 3, 2024 3:26 p.m.",
            "Fri May 03 2024 17:26:00 GMT+0200 (Central European Summer Time)",
            "Fri, 3 May 2024 15:26:00 +0000",
            "03/05/2024 15:26",
            "03.05.2024 15:26",
            "3.5.24 15:26",
            "2024年5月3日 15:26",
            "2024/5/3 下午3:26",
            "1714749960",
            "1714749960000",
            "1714749960000000",
            "20240503152600",
        ] {
            assert_eq!(at(text), want, "{text}");
        }
        assert_eq!(at("21/déc./24 3:26 PM").as_deref(), Some("2024-12-21T15:26:00Z"));
        assert_eq!(at("5 března 2024").as_deref(), Some("2024-03-05T00:00:00Z"));
        assert_eq!(at("12/Jan/24 12:05 AM").as_deref(), Some("2024-01-12T00:05:00Z"));
        for no in
            ["", "soon", "yesterday", "2.4", "n/a", "May", "31/31/2024", "2024-13-40", "12:30", "Sprint 12"]
        {
            assert_eq!(at(no), None, "{no}");
        }
    }

    #[test]
    fn a_column_has_one_order() {
        let seen = |cells: &[&str]| {
            let mut seen = Seen::default();
            cells.iter().for_each(|c| seen.cell(c));
            seen
        };
        assert_eq!(seen(&["03/05/2024", "21/05/2024"]).order(), Some(Order::DayFirst));
        assert_eq!(seen(&["5/3/2024", "5/21/2024"]).order(), Some(Order::MonthFirst));
        assert_eq!(seen(&["03.05.2024", "04.05.2024"]).order(), Some(Order::DayFirst));
        let doubtful = seen(&["03/05/2024", "04/05/2024", "soon"]);
        assert_eq!((doubtful.order(), doubtful.doubtful()), (None, Some("03/05/2024")));
        assert_eq!(doubtful.unread().collect::<Vec<_>>(), [("soon", 1)]);
        assert_eq!(seen(&["2024-05-03", "May 3, 2024"]).doubtful(), None);
    }

    proptest! {
        #[test]
        fn a_time_that_is_written_is_read_again(second in 0_i64..4_000_000_000) {
            let time = Timestamp::from_second(second).unwrap();
            let zoned = time.to_zoned(TimeZone::UTC);
            for form in [
                "%Y-%m-%d %H:%M:%S", "%d/%m/%Y %H:%M:%S", "%d.%m.%Y %I:%M:%S %p", "%a %b %d %Y %H:%M:%S GMT+0000 (GMT)",
                "%d/%b/%Y %I:%M:%S %p", "%B %d, %Y, %H:%M:%S", "%Y年%m月%d日 %H:%M:%S",
            ] {
                let text = zoned.strftime(form).to_string();
                prop_assert_eq!(read(&text, Order::DayFirst), Some(time), "{}", text);
            }
        }

        #[test]
        fn anything_is_read_or_not(text in "\\PC{0,60}") {
            let _ = read(&text, Order::DayFirst);
            Seen::default().cell(&text);
        }
    }
}
