//! The arguments for the output format.

use clap::Args as Arguments;

/// How to print.
#[derive(Clone, Debug, Arguments)]
pub struct Json {
    /// Print JSON; with =FIELDS, only those comma-separated fields
    #[arg(long, value_name = "FIELDS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub json: Option<String>,
}
