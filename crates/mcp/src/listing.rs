//! Pages of search results.
//!
//! A page does not depend on the pages before it, so that the pages together are the whole list.

use std::collections::HashSet;

use precedent_core::{
    Error, Result, Task,
    model::{SearchRequest, SearchResponse},
};
use precedent_engine::{
    Casebook,
    search::{MAX_LIMIT, query},
};
use serde_json::{Value, json};

use super::{
    json::{fields, value},
    pages,
    parameters::Search,
    reply,
};

/// The number of results ranked among the same candidates; later ones are ranked among more.
const STEADY: usize = 100;

/// Returns the status within the given room.
///
/// If the room is short, all source keys take precedence over other data, because a partial list of
/// sources would be taken for all.
pub fn status(mut status: Value, room: usize) -> Value {
    let known: [&[&str]; 2] = [&["key", "kind", "issues", "pull_requests", "pages"], &["key"]];
    for fields in known {
        if reply::cost(&status) <= room {
            break;
        }
        for source in status["sources"].as_array_mut().into_iter().flatten() {
            if let Some(source) = source.as_object_mut() {
                source.retain(|name, _| fields.contains(&name.as_str()));
            }
        }
        let sources = status["sources"].take();
        status = json!({
            "count": sources.as_array().map_or(0, Vec::len),
            "sources": sources,
            "coverage": status["coverage"].take(),
            "truncated": true,
        });
        if fields.len() == 1
            && reply::cost(&status) > room
            && let Some(status) = status.as_object_mut()
        {
            status.remove("coverage");
        }
    }
    status
}

/// Returns a page of search results.
pub async fn search(casebook: &Casebook, asked: &Search, task: &Task) -> Result<Value> {
    if asked.query.trim().is_empty() {
        return Err(Error::invalid("search: the query is empty")
            .with_hint("Give search terms, or only filters: is:open lists open items."));
    }
    match query::parse(&asked.query)?.is_empty() {
        true => browse(casebook, asked, task).await,
        false => ranked(casebook, asked, task).await,
    }
}

/// Lists everything that matches the filters of a query without words.
async fn browse(casebook: &Casebook, asked: &Search, task: &Task) -> Result<Value> {
    let mut limit = asked.limit;
    loop {
        let request = SearchRequest {
            query: asked.query.clone(),
            limit,
            offset: asked.offset,
            ..SearchRequest::default()
        };
        let found = casebook.search(request, task).await?;
        let total = found.total.unwrap_or_default();
        let listed = found.hits.len();
        let (page, shown) = page(found, asked)?;
        // Ties in time are sorted by key only within a page.
        // A page that does not fit is therefore requested again with a smaller limit.
        if shown < listed {
            limit = shown.max(1);
            continue;
        }
        let end = asked.offset + limit;
        let more = u64::try_from(end).is_ok_and(|end| end < total);
        return Ok(with_next(page, more.then_some(end)));
    }
}

/// Lists the best-ranked results of a query with words.
async fn ranked(casebook: &Casebook, asked: &Search, task: &Task) -> Result<Value> {
    let first = asked.offset;
    if first > MAX_LIMIT {
        return Err(Error::invalid(format!("search: only the best {MAX_LIMIT} results are available"))
            .with_hint(
                "Narrow the search with other terms or filters (is:, label:, author:, source:, updated:).",
            ));
    }
    let ask = async |limit: usize| {
        let request = SearchRequest { query: asked.query.clone(), limit, ..SearchRequest::default() };
        casebook.search(request, task).await
    };
    let end = first + asked.limit;
    let mut found = ask(end.saturating_add(1).min(STEADY)).await?;
    if end >= STEADY && found.hits.len() == STEADY {
        let before: HashSet<String> = found.hits.iter().map(|h| h.key.clone()).collect();
        let deeper = ask(MAX_LIMIT).await?;
        found.hits.extend(deeper.hits.into_iter().filter(|h| !before.contains(&h.key)));
        found.hits.truncate(MAX_LIMIT);
    }
    let all = found.hits.len();
    found.hits.truncate(end);
    found.hits.drain(..first.min(found.hits.len()));
    let (page, shown) = page(found, asked)?;
    let end = first + shown;
    Ok(with_next(page, (end < all).then_some(end)))
}

/// Returns as many results as fit, with their number.
fn page(mut found: SearchResponse, asked: &Search) -> Result<(Value, usize)> {
    let hits: Vec<Value> = std::mem::take(&mut found.hits).iter().map(value).collect::<Result<_>>()?;
    let (room, nothing) = (reply::room(asked.max_chars), hits.is_empty());
    let (page, shown) = pages::hits(fields(&found)?, hits, room);
    let mut page = Value::Object(page);
    if nothing {
        // No result is lost here, so cutting the notices does not count as truncation.
        reply::bound(&mut page, room.saturating_sub(reply::cost(&json!({"next_offset": 0}))), reply::KEPT);
        if let Some(fields) = page.as_object_mut() {
            fields.remove("truncated");
        }
    }
    Ok((page, shown))
}

fn with_next(mut page: Value, next: Option<usize>) -> Value {
    page["next_offset"] = json!(next);
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::{LEAST_CHARS, Reply, tests::received};

    #[test]
    fn a_short_status_names_all_sources() {
        let source = |n: u32| json!({"key": format!("acme/project-{n}"), "kind": "github", "issues": 5, "comments": 9, "added_at": "2025-01-01T00:00:00Z"});
        let whole = |n| json!({"casebook": "/home/ida/casebook", "sources": (0..n).map(source).collect::<Vec<_>>(), "mirrors": [], "coverage": {"documents": 5}});
        for (n, room) in [(2, LEAST_CHARS), (8, 1500), (2, 10_000)] {
            let (reply, _) = received(Reply::of(status(whole(n), reply::room(room)), room));
            let keys: Vec<&str> =
                reply["sources"].as_array().unwrap().iter().filter_map(|s| s["key"].as_str()).collect();
            assert_eq!(keys.len(), n as usize, "{room}: {reply}");
            assert_eq!(reply["casebook"].is_string(), room == 10_000, "{room}: {reply}");
        }
    }
}
