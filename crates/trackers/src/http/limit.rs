//! Detection of rate limits and of the time until the next request.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::{Response, without_query};
use precedent_core::error::{Code, Error};

/// The longest response body that is checked for a rate limit, in bytes.
const MAX_LIMIT_RESPONSE: usize = 4 * 1024;

/// Returns the wait that a rate limit states, if any; `None` if the response reports no limit.
pub(super) fn limit_wait(response: &Response, now: Timestamp) -> Option<Option<Duration>> {
    let number = |name: &str| response.header(name).and_then(|v| v.trim().parse::<i64>().ok());
    let used_up = number("x-ratelimit-remaining") == Some(0);
    let retry_after = number("retry-after").filter(|s| *s >= 0);
    let is_limited = match response.status {
        429 => true,
        // Without a stated limit, a 403 denies access.
        403 => {
            used_up
                || retry_after.is_some()
                || response.message().is_some_and(|m| {
                    let m = m.to_string().to_lowercase();
                    m.contains("rate limit") || m.contains("abuse detection")
                })
        }
        // GraphQL reports limits in the body: `RATE_LIMITED` (GitHub), `RATELIMITED` (Linear).
        // <https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api>
        // <https://linear.app/developers/rate-limiting>
        200 | 400 => has_limit_error(response),
        _ => false,
    };
    if !is_limited {
        return None;
    }
    if let Some(seconds) = retry_after {
        return Some(Some(Duration::from_secs(seconds.unsigned_abs())));
    }
    // <https://github.com/discourse/discourse/blob/main/app/controllers/application_controller.rb>
    let wait = if may_report_limit(response) {
        response.at::<u64>("/extras/wait_seconds")
    } else {
        Ok(None)
    };
    if let Ok(Some(seconds)) = wait {
        return Some(Some(Duration::from_secs(seconds)));
    }
    let reset = number("x-ratelimit-reset").filter(|_| used_up).or_else(|| {
        // Linear counts requests and complexity separately, with resets in milliseconds.
        let quota_reset = |kind: &str| {
            let quota = number(&format!("x-ratelimit-{kind}-remaining"))?;
            number(&format!("x-ratelimit-{kind}-reset")).filter(|_| quota <= 0)
        };
        quota_reset("requests").max(quota_reset("complexity")).map(|ms| ms / 1_000)
    });
    Some(reset.map(|reset| {
        let seconds = reset.saturating_sub(now.as_second()).max(0).unsigned_abs();
        // One second more, because clocks differ by fractions of a second.
        Duration::from_secs(seconds + 1)
    }))
}

/// Returns whether a response may report a rate limit; most pages of records are longer.
fn may_report_limit(response: &Response) -> bool {
    response.body.len() <= MAX_LIMIT_RESPONSE && response.body.starts_with(b"{")
}

/// Returns whether a GraphQL response contains no data but a rate limit error.
fn has_limit_error(response: &Response) -> bool {
    let errors = may_report_limit(response).then(|| response.at::<Vec<Value>>("/errors"));
    let is_limit = |word: &Value| word == "RATE_LIMITED" || word == "RATELIMITED";
    let errors = errors.and_then(Result::ok).flatten().unwrap_or_default();
    errors.iter().any(|error| is_limit(&error["type"]) || is_limit(&error["extensions"]["code"]))
}

pub(super) fn limit_error(response: &Response, wait: Option<Duration>) -> Error {
    let when =
        wait.map_or(String::new(), |w| format!("; wait {} minutes", w.as_secs().div_ceil(60)));
    Error::new(
        Code::RateLimited,
        format!("{} rate limit reached{when}", without_query(&response.url)),
    )
    .with_hint("Progress is saved. Try again later, or use your own token for a higher limit.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_differs_from_access_denial() {
        let now = Timestamp::from_second(1_000).unwrap();
        let wait = |status, headers: &[_], body| {
            limit_wait(&Response::for_tests(status, headers, body), now)
        };
        let seconds = |s| Some(Some(Duration::from_secs(s)));
        assert_eq!(wait(200, &[("x-ratelimit-remaining", "0")], ""), None);
        assert_eq!(
            wait(403, &[("x-ratelimit-remaining", "12")], "{\"message\": \"Not accessible\"}"),
            None
        );
        assert_eq!(wait(403, &[("retry-after", "7")], ""), seconds(7));
        assert_eq!(
            wait(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1030")], ""),
            seconds(31)
        );
        assert_eq!(
            wait(403, &[], "{\"message\": \"You have exceeded a secondary rate limit\"}"),
            Some(None)
        );
        assert_eq!(wait(429, &[], ""), Some(None));
        let discourse = r#"{"errors": ["Slow down"], "error_type": "rate_limit", "extras": {"wait_seconds": 17, "time_left": "17 seconds"}}"#;
        assert_eq!(wait(429, &[], discourse), seconds(17));
        assert_eq!(wait(429, &[("retry-after", "9")], discourse), seconds(9));
    }

    #[test]
    fn graphql_limit_is_in_the_body() {
        let now = Timestamp::from_second(1_000).unwrap();
        let wait = |status, headers: &[_], body| {
            limit_wait(&Response::for_tests(status, headers, body), now)
        };
        let github =
            r#"{"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}"#;
        let used_up = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1030")];
        assert_eq!(wait(200, &used_up, github), Some(Some(Duration::from_secs(31))));
        assert_eq!(wait(200, &[], github), Some(None));
        let linear = r#"{"errors": [{"message": "Rate limit exceeded", "extensions": {"code": "RATELIMITED"}}]}"#;
        let used_up =
            [("x-ratelimit-requests-remaining", "0"), ("x-ratelimit-requests-reset", "1060000")];
        assert_eq!(wait(400, &used_up, linear), Some(Some(Duration::from_secs(61))));
        for other in [
            r#"{"data": {"viewer": {"name": "RATE_LIMITED"}}}"#,
            r#"{"errors": [{"type": "NOT_FOUND"}]}"#,
            "[]",
        ] {
            assert_eq!(wait(200, &[("x-ratelimit-remaining", "0")], other), None, "{other}");
        }
    }
}
