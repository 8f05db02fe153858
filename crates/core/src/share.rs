//! Statistics of sample proportions.

/// Returns the 95 % confidence interval of a proportion of `n` samples (Wilson 1927); 0..1 without
/// samples.
pub fn wilson(share: f64, n: f64) -> (f64, f64) {
    const Z: f64 = 1.96;
    if n < 1.0 {
        return (0.0, 1.0);
    }
    let middle = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let reach = Z / (1.0 + Z * Z / n) * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((middle - reach).max(0.0), (middle + reach).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_narrows_with_the_sample() {
        assert_eq!(wilson(0.5, 0.0), (0.0, 1.0));
        let (low, high) = wilson(1.0, 10.0);
        assert!((low - 0.722).abs() < 1e-3 && high == 1.0, "{low} {high}");
        let (low, high) = wilson(0.5, 1000.0);
        assert!(low > 0.46 && high < 0.54);
    }
}
