//! Statistics of sample proportions.

/// Returns the 95 % confidence interval of a proportion of `n` samples (Wilson 1927); 0..1 without
/// samples.
pub fn wilson(proportion: f64, n: f64) -> (f64, f64) {
    const Z: f64 = 1.96;
    if n < 1.0 {
        return (0.0, 1.0);
    }
    let center = (proportion + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half_width = Z / (1.0 + Z * Z / n)
        * (proportion * (1.0 - proportion) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((center - half_width).max(0.0), (center + half_width).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_narrows_with_sample_size() {
        assert_eq!(wilson(0.5, 0.0), (0.0, 1.0));
        let (low, high) = wilson(1.0, 10.0);
        assert!((low - 0.722).abs() < 1e-3 && high == 1.0, "{low} {high}");
        let (low, high) = wilson(0.5, 1000.0);
        assert!(low > 0.46 && high < 0.54);
    }
}
