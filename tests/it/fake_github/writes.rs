//! Writes to the fake GitHub: comments on issues, and states of issues.

use serde_json::{Value, json};

use super::{Answer, World, iso_time};

impl World {
    /// Handles a write request.
    pub(super) fn write(&mut self, method: &str, rest: &str, body: &str) -> Answer {
        if self.read_only {
            return Answer::error(403, "Resource not accessible by personal access token");
        }
        let Ok(body) = serde_json::from_str::<Value>(body) else {
            return Answer::error(400, "Problems parsing JSON");
        };
        let path: Vec<&str> = rest.trim_start_matches('/').split('/').collect();
        let number = path.get(1).and_then(|n| n.parse::<u64>().ok());
        let Some(number) = number.filter(|n| self.items.rows.contains_key(n)) else {
            return Answer::error(404, "Not Found");
        };
        match (method, &path[..]) {
            ("POST", ["issues", _, "comments"]) => self.add_comment(number, body["body"].as_str()),
            ("PATCH", ["issues", _]) => self.edit_issue(number, &body),
            _ => Answer::error(404, "Not Found"),
        }
    }

    fn add_comment(&mut self, number: u64, text: Option<&str>) -> Answer {
        let Some(text) = text.filter(|t| !t.is_empty()) else {
            return Answer::error(422, "Validation Failed");
        };
        let id = self.comments.rows.keys().last().copied().unwrap_or(0) + 1;
        let comment = self.comment(id, number, text, self.now + 1);
        self.put(&comment);
        let issue: Value = serde_json::from_str(&self.items.rows[&number].json).unwrap();
        self.edit(number, json!({"comments": issue["comments"].as_u64().unwrap() + 1}));
        Answer::new(201, comment)
    }

    fn edit_issue(&mut self, number: u64, body: &Value) -> Answer {
        let reason = body["state_reason"].as_str();
        if self.lacks_duplicate_reason && reason == Some("duplicate") {
            return Answer::error(
                422,
                "Validation Failed: duplicate is not a member of state_reason",
            );
        }
        if body["state"] == "closed" {
            let now = iso_time(self.now + 1);
            self.edit(number, json!({"state": "closed", "state_reason": reason, "closed_at": now}));
        }
        Answer::new(200, &self.items.rows[&number].json)
    }

    /// Returns the comments of an issue as a list.
    pub(super) fn thread(&self, number: u64) -> Answer {
        let suffix = format!("/issues/{number}");
        let comments: Vec<Value> = self
            .comments
            .rows
            .values()
            .map(|row| serde_json::from_str::<Value>(&row.json).unwrap())
            .filter(|c| c["issue_url"].as_str().is_some_and(|u| u.ends_with(&suffix)))
            .collect();
        Answer::new(200, json!(comments))
    }

    /// Returns the texts of an issue's comments.
    pub fn comment_texts(&self, number: u64) -> Vec<String> {
        let comments: Vec<Value> = serde_json::from_str(&self.thread(number).body).unwrap();
        comments.iter().map(|c| c["body"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the current state of an issue.
    pub fn current_issue(&self, number: u64) -> Value {
        serde_json::from_str(&self.items.rows[&number].json).unwrap()
    }
}
