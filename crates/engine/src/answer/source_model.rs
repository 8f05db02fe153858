//! The model fitted to a source: ranking weights of its own, and a curve over the built-in
//! confidence.

use precedent_store::Calibration;

use super::features::{COUNT, NAMES};

/// A logistic curve over the log-odds of the built-in confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// The factor of the log-odds.
    pub slope: f64,
    /// The offset of the log-odds.
    pub intercept: f64,
}

impl Curve {
    /// Returns the calibrated confidence for log-odds of the built-in confidence.
    pub fn confidence(&self, odds: f64) -> f64 {
        1.0 / (1.0 + (-(self.slope * odds + self.intercept)).exp())
    }
}

pub(super) fn odds(p: f64) -> f64 {
    let p = p.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln()
}

/// A model fitted to one source.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceModel {
    /// The ranking weights, if they rank better than the built-in ones.
    pub order: Option<[f32; COUNT]>,
    /// The calibration curve.
    pub curve: Curve,
    /// The number of reports with a known duplicate that it was fitted to.
    pub labels: u64,
}

impl SourceModel {
    /// Returns the calibration to store, with the embedding model that its weights were fitted
    /// with.
    pub fn calibration(&self, model: Option<&str>) -> Calibration {
        let weights =
            |order: [f32; COUNT]| NAMES.iter().map(|n| (*n).to_owned()).zip(order).collect();
        Calibration {
            slope: self.curve.slope,
            intercept: self.curve.intercept,
            labels: self.labels,
            model: model.map(str::to_owned),
            weights: self.order.map(weights),
        }
    }
}
