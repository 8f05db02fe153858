//! What a source taught: an order of its own, and a curve over the built-in confidence.

use precedent_store::Calibration;

use super::features::{COUNT, NAMES};

/// A logistic curve over the log-odds of the built-in confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Factor of the log-odds.
    pub slope: f64,
    /// What is added to them.
    pub intercept: f64,
}

impl Curve {
    /// The confidence for log-odds of the built-in one.
    pub fn at(&self, odds: f64) -> f64 {
        1.0 / (1.0 + (-(self.slope * odds + self.intercept)).exp())
    }
}

pub(super) fn odds(p: f64) -> f64 {
    let p = p.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln()
}

/// What was learnt.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceModel {
    /// Weights of the order, if those of its own order better.
    pub order: Option<[f32; COUNT]>,
    /// The curve.
    pub curve: Curve,
    /// From how many reports with a known duplicate.
    pub labels: u64,
}

impl SourceModel {
    /// What is kept of it: with the model whose vectors its weights were learnt with.
    pub fn calibration(&self, model: Option<&str>) -> Calibration {
        let weights = |order: [f32; COUNT]| NAMES.iter().map(|n| (*n).to_owned()).zip(order).collect();
        Calibration {
            slope: self.curve.slope,
            intercept: self.curve.intercept,
            labels: self.labels,
            model: model.map(str::to_owned),
            order: self.order.map(weights),
        }
    }
}
