//! Search results: as many as fit, and the offset of the next page.
//!
//! A page does not depend on earlier pages, so that all pages together form the whole list.

use std::collections::HashSet;

use precedent_core::{
    Error, Result, Task,
    model::{Hit, Part, SearchRequest, SearchResponse, Span},
};
use precedent_engine::{
    Casebook,
    search::{MAX_LIMIT, query},
};
use serde_json::json;

use super::{
    markdown::{Text, author, day, format_call, inline, join, read_call, state, title},
    output::{self, Item},
    parameters::SearchIssues,
};

/// The number of top results whose candidates do not depend on the limit.
const STABLE_DEPTH: usize = 100;
/// The maximum length of a passage, in characters.
const MAX_PASSAGE: usize = 170;
/// The maximum length of a query that a next step repeats, in characters.
const MAX_QUERY: usize = 200;
/// The maximum number of characters of a passage before its first match.
const MAX_LEAD: usize = 50;

/// Returns a page of search results.
///
/// # Errors
/// [`precedent_core::Code::InvalidInput`] for an empty query and for an offset that is too large.
pub async fn search(
    casebook: &Casebook,
    args: &SearchIssues,
    task: &Task,
) -> Result<(String, output::Search)> {
    if args.query.trim().is_empty() {
        return Err(Error::invalid("search_issues: the query is empty")
            .with_hint("Pass search terms, or only filters: is:open lists open items."));
    }
    match query::parse(&args.query)?.is_empty() {
        true => browse(casebook, args, task).await,
        false => rank(casebook, args, task).await,
    }
}

/// Lists everything that matches the filters of a query without search terms.
async fn browse(
    casebook: &Casebook,
    args: &SearchIssues,
    task: &Task,
) -> Result<(String, output::Search)> {
    let mut limit = args.limit.0;
    loop {
        let request = SearchRequest {
            query: args.query.clone(),
            limit,
            offset: args.offset.0,
            ..SearchRequest::default()
        };
        let response = casebook.search(request, task).await?;
        let end = args.offset.0 + limit;
        let has_more = u64::try_from(end).is_ok_and(|end| end < response.total.unwrap_or_default());
        let (page, count) = render_page(&response, args, has_more);
        // Ties are sorted only within a page, so a page that does not fit is requested again.
        match count < response.hits.len() {
            true => limit = count.max(1),
            false => return Ok(page),
        }
    }
}

/// Lists the best-ranked results of a query with search terms.
async fn rank(
    casebook: &Casebook,
    args: &SearchIssues,
    task: &Task,
) -> Result<(String, output::Search)> {
    let offset = args.offset.0;
    if offset > MAX_LIMIT {
        return Err(Error::invalid(format!(
            "search_issues: only the best {MAX_LIMIT} results are available"
        ))
        .with_hint(
            "Narrow the search with other terms or filters (is:, label:, author:, source:, updated:).",
        ));
    }
    let fetch = async |limit: usize| {
        let request =
            SearchRequest { query: args.query.clone(), limit, ..SearchRequest::default() };
        casebook.search(request, task).await
    };
    let end = offset + args.limit.0;
    let mut response = fetch(end.saturating_add(1).min(STABLE_DEPTH)).await?;
    if end >= STABLE_DEPTH && response.hits.len() == STABLE_DEPTH {
        let keys: HashSet<String> = response.hits.iter().map(|h| h.key.clone()).collect();
        let full_response = fetch(MAX_LIMIT).await?;
        response.hits.extend(full_response.hits.into_iter().filter(|h| !keys.contains(&h.key)));
        response.hits.truncate(MAX_LIMIT);
    }
    let has_more = response.hits.len() > end;
    response.hits.truncate(end);
    response.hits.drain(..offset.min(response.hits.len()));
    Ok(render_page(&response, args, has_more).0)
}

/// Renders as many results as fit, and returns their number.
fn render_page(
    response: &SearchResponse,
    args: &SearchIssues,
    has_more: bool,
) -> ((String, output::Search), usize) {
    let mut text = Text::new(args.max_chars.0);
    if !response.hits.is_empty() {
        text.add(&format!("Results from {}, best first:", args.offset.0 + 1));
    }
    let mut count = 0;
    for hit in &response.hits {
        let line = render_hit(args.offset.0 + count + 1, hit);
        // A page has at least one result.
        if !text.add(&line)
            && (count > 0 || !text.add(&inline(&line, text.budget().saturating_sub(1))))
        {
            break;
        }
        count += 1;
    }
    text.is_truncated = false;
    text.add_notices(&response.notices);
    let next_offset = (has_more || count < response.hits.len()).then_some(args.offset.0 + count);
    let mut next = Vec::new();
    match response.hits.first() {
        Some(hit) => {
            let passage = hit.passages.first().filter(|passage| passage.part == Part::Comment);
            let call = read_call(&hit.key, passage.map(|passage| &*passage.anchor));
            next.push(format!("{call} to read the first; for others pass their key and comment."));
        }
        None if args.offset.0 > 0 => {
            next.push("there are no results from this offset on; omit offset.".to_owned())
        }
        None => {
            text.add(match response.conclusive {
                true => "**No results.** The whole casebook was searched, closed reports included.",
                false => "**No results so far**: the indexes are incomplete.",
            });
            next.push(
                "call ask with the whole message as text, or search_issues with fewer words or filters."
                    .to_owned(),
            );
        }
    }
    if let Some(offset) = next_offset {
        next.push(next_page_step(&args.query, offset));
    }
    let results = response.hits.iter().take(count).map(Item::from).collect();
    ((text.finish(next), output::Search { results, next_offset }), count)
}

/// Formats the step to the next page. A query that would not fit on the line is not repeated.
fn next_page_step(query: &str, offset: usize) -> String {
    if inline(query, MAX_QUERY) == query {
        let arguments = json!({"query": query, "offset": offset});
        return format!("{} to list more.", format_call("search_issues", &arguments));
    }
    format!("call search_issues with the same query and offset {offset} to list more.")
}

/// Renders a result: its key, state and title, the reason for the match and the best passage.
fn render_hit(rank: usize, hit: &Hit) -> String {
    let title = title(&hit.title.iter().map(|span| span.text.as_str()).collect::<String>());
    let date = match hit.closed_at {
        Some(time) => day(Some(time)),
        None => format!("updated {}", day(hit.updated_at)),
    };
    let state = [state(hit.state, hit.state_reason.as_deref()), date].join(" ");
    let mut out =
        format!("{rank}. {}", join([inline(&hit.key, 150), state.trim().to_owned(), title]));
    let passage = hit.passages.first().map(|passage| {
        let prefix = match passage.part {
            Part::Comment => {
                format!("{}, {}: ", passage.anchor, author(passage.author.as_deref(), None))
            }
            Part::Body => String::new(),
        };
        format!("\n   > {prefix}{}", excerpt(&passage.spans))
    });
    out.push_str(&format!("\n   Why: {}", inline(&hit.why, 120)));
    out.push_str(&passage.unwrap_or_default());
    out
}

/// Returns the part of a passage around its first match, on one line.
fn excerpt(spans: &[Span]) -> String {
    let text: String = spans.iter().map(|span| span.text.as_str()).collect();
    let lead = spans
        .iter()
        .take_while(|span| !span.hit)
        .map(|span| span.text.chars().count())
        .sum::<usize>();
    let length = text.chars().count();
    if length <= MAX_PASSAGE || lead <= MAX_LEAD || lead == length {
        return inline(&text, MAX_PASSAGE);
    }
    let tail: String = text.chars().skip((lead - MAX_LEAD).min(length - MAX_PASSAGE)).collect();
    let word_start = tail.find(char::is_whitespace).unwrap_or_default();
    format!("…{}", inline(&tail[word_start..], MAX_PASSAGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_page_never_shortens_the_query() {
        let call = r#"search_issues {"offset":10,"query":"slot is:open"} to list more."#;
        assert_eq!(next_page_step("slot is:open", 10), call);
        for query in ["a stack trace ".repeat(20), "two\nlines".to_owned()] {
            let step = next_page_step(&query, 10);
            assert!(step.contains("the same query and offset 10"), "{step}");
        }
    }
}
