//! The arguments for the output format.

use clap::Args as Arguments;

/// The output format.
#[derive(Clone, Debug, Arguments)]
pub struct Json {
    /// Print JSON; =FIELDS selects fields from a comma-separated list
    #[arg(long, value_name = "FIELDS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub json: Option<String>,
}
