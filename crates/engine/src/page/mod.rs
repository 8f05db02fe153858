//! HTML pages that run no script and fetch nothing.

use std::sync::LazyLock;

use minijinja::{AutoEscape, Environment, Value};
use precedent_core::error::{Code, Error, Result};
use precedent_text::{html, sanitize::sanitize};

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_filter("markdown", |markdown: &str| {
        Value::from_safe_string(add_directions(&html::from_markdown(markdown)))
    });
    for (name, template) in [
        ("head", include_str!("head.html")),
        ("brief", include_str!("brief.html")),
        ("article", include_str!("article.html")),
    ] {
        #[allow(clippy::expect_used, reason = "the templates are built in; tests render them")]
        environment.add_template(name, template).expect("page templates are valid");
    }
    environment
});

/// Renders the page template with this name.
pub(crate) fn render(name: &str, values: Value) -> Result<String> {
    TEMPLATES
        .get_template(name)
        .and_then(|template| template.render(values))
        // Markdown may encode characters as numeric references.
        .map(|html| sanitize(&html).into_owned())
        .map_err(|e| Error::new(Code::Internal, format!("cannot write the {name} as HTML: {e}")))
}

/// Lets each block of sanitized HTML follow the direction of its text.
fn add_directions(html: &str) -> String {
    ["p", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6"]
        .iter()
        .fold(html.to_owned(), |html, tag| {
            html.replace(&format!("<{tag}>"), &format!("<{tag} dir=\"auto\">"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_paragraphs_have_their_own_direction() {
        let html = add_directions(&html::from_markdown("שלום\n\n- עולם\n\n`<p>`"));
        assert!(
            html.contains("<p dir=\"auto\">שלום</p>") && html.contains("<li dir=\"auto\">"),
            "{html}"
        );
        assert!(html.contains("<code>&lt;p&gt;</code>"), "{html}");
    }
}
