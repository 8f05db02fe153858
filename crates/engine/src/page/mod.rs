//! HTML pages that run no script and fetch nothing.

use std::sync::LazyLock;

use minijinja::{AutoEscape, Environment, Value};
use precedent_core::error::{Code, Error, Result};
use precedent_text::sanitize::sanitize;

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
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
///
/// # Errors
/// [`Code::Internal`] if the template does not fit its values.
pub(crate) fn render(name: &str, values: Value) -> Result<String> {
    TEMPLATES
        .get_template(name)
        .and_then(|template| template.render(values))
        // Markdown may encode characters as numeric references.
        .map(|html| sanitize(&html).into_owned())
        .map_err(|e| Error::new(Code::Internal, format!("cannot write the {name} as HTML: {e}")))
}
