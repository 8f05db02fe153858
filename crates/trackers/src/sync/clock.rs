//! Validation of tracker dates against this computer's clock.

use jiff::{SignedDuration, Timestamp};

use precedent_core::model::{CommentRecord, DocumentRecord, Record};
use precedent_store::CLOCK_TOLERANCE;

/// A watermark in the future is set to this long before the start of the sync.
const WATERMARK_MARGIN: SignedDuration = SignedDuration::from_hours(1);
/// 2025-01-01, before the first release of this program. An earlier clock is wrong and is ignored.
const FIRST_RELEASE: i64 = 1_735_689_600;

/// Returns whether a date is ahead of the clock by more than the tolerance.
pub(super) fn is_ahead(date: Timestamp, now: Timestamp) -> bool {
    now.as_second() >= FIRST_RELEASE && date.as_second() > now.as_second() + CLOCK_TOLERANCE
}

/// Returns the record with all future dates limited to the clock; `None` if there are none.
pub(super) fn limit_dates(record: &Record, now: Timestamp) -> Option<Record> {
    let is_future = |date: &Option<Timestamp>| date.is_some_and(|date| is_ahead(date, now));
    let limit = |date: Timestamp| if is_ahead(date, now) { now } else { date };
    match record {
        Record::Document(d) => {
            let dates = [d.created_at, d.updated_at, d.closed_at, d.merged_at];
            dates.iter().any(is_future).then(|| {
                Record::Document(Box::new(DocumentRecord {
                    created_at: d.created_at.map(limit),
                    updated_at: d.updated_at.map(limit),
                    closed_at: d.closed_at.map(limit),
                    merged_at: d.merged_at.map(limit),
                    ..(**d).clone()
                }))
            })
        }
        Record::Comment(c) => {
            [Some(c.created_at), Some(c.updated_at)].iter().any(is_future).then(|| {
                Record::Comment(Box::new(CommentRecord {
                    created_at: limit(c.created_at),
                    updated_at: limit(c.updated_at),
                    ..(**c).clone()
                }))
            })
        }
    }
}

/// Returns the tracker's watermark, or a time before `started_at` if it is in the future.
pub(super) fn limit_watermark(watermark: Timestamp, started_at: Timestamp) -> Timestamp {
    if started_at.as_second() < FIRST_RELEASE || watermark <= started_at {
        return watermark;
    }
    started_at.checked_sub(WATERMARK_MARGIN).unwrap_or(started_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn watermark_never_passes_the_clock() {
        let started_at = time("2026-05-04T12:00:00Z");
        for (watermark, expected) in [
            ("2026-05-04T11:59:59Z", "2026-05-04T11:59:59Z"),
            ("2026-05-04T12:00:00Z", "2026-05-04T12:00:00Z"),
            ("2026-05-04T12:00:01Z", "2026-05-04T11:00:00Z"),
            ("2099-01-01T00:00:00Z", "2026-05-04T11:00:00Z"),
        ] {
            assert_eq!(limit_watermark(time(watermark), started_at), time(expected), "{watermark}");
        }
    }

    #[test]
    fn clock_before_first_release_limits_no_date() {
        let reset = time("1970-01-02T00:00:00Z");
        let date = time("2026-05-04T12:00:00Z");
        assert!(!is_ahead(date, reset));
        assert_eq!(limit_watermark(date, reset), date);
    }
}
