//! The argument for JSON output.

use clap::Args as Arguments;

/// The `--json` option.
#[derive(Clone, Debug, Arguments)]
pub struct JsonArgs {
    /// Print JSON; FIELDS is a comma-separated list of fields to include
    #[arg(long, value_name = "FIELDS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub json: Option<String>,
}
