//! Manually judged pairs, which complement the tracker's marks.

use std::{collections::HashMap, fs, path::Path};

use precedent_core::{Error, Result};

/// The relation of two reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgment {
    /// The same problem, or probably the same: an expert would close the later report.
    Same,
    /// The same area or feature, but another problem.
    Related,
    /// Neither of these, or too little content to compare.
    Neither,
}

/// A manually judged pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedPair {
    pub judgment: Judgment,
    /// Number of the tracker's answers that the pair represents.
    pub weight: f64,
}

/// The judged pairs of a set, by the ids of the later and the earlier report.
pub type Pairs = HashMap<(String, String), JudgedPair>;

/// Reads the judged pairs of a set from a file, or from `SET.tsv` of a folder.
///
/// Columns: report, earlier report, verdict (D the same, P probably the same, R related, N neither,
/// X nothing to compare), weight. Returns `None` if the folder has no such file.
pub fn load(path: &Path, name: &str) -> Result<Option<Pairs>> {
    let file = if path.is_dir() { path.join(format!("{name}.tsv")) } else { path.to_owned() };
    if path.is_dir() && !file.is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(&file).map_err(|e| Error::io(&file, e))?;
    let mut pairs = Pairs::new();
    for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.starts_with('#') && !l.is_empty())
    {
        let line_error = |problem: &str| {
            Error::invalid(format!("{}:{}: {problem}", file.display(), i + 1)).with_hint(
                "Each line is a report, an earlier report, one of D, P, R, N and X, and a weight, \
                 separated by tabs.",
            )
        };
        let mut columns = line.split('\t');
        let (Some(report), Some(earlier_report), Some(verdict), Some(weight)) =
            (columns.next(), columns.next(), columns.next(), columns.next())
        else {
            return Err(line_error("fewer than four columns"));
        };
        let judgment = match verdict {
            "D" | "P" => Judgment::Same,
            "R" => Judgment::Related,
            "N" | "X" => Judgment::Neither,
            letter => return Err(line_error(&format!("{letter} is not a verdict"))),
        };
        let weight: f64 = weight.parse().map_err(|_| line_error("the weight is not a number"))?;
        pairs.insert(
            (report.to_owned(), earlier_report.to_owned()),
            JudgedPair { judgment, weight },
        );
    }
    Ok(Some(pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_pair_is_reported_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("acme.tsv");
        fs::write(&file, "# later earlier verdict weight\n7\t3\tP\t2.5\n8\t3\tX\t1\textra\n")
            .unwrap();
        let pairs = load(folder.path(), "acme").unwrap().unwrap();
        let pair = |report: &str| pairs[&(report.to_owned(), "3".to_owned())];
        assert_eq!(pair("7"), JudgedPair { judgment: Judgment::Same, weight: 2.5 });
        assert_eq!(pair("8").judgment, Judgment::Neither);
        assert!(load(folder.path(), "other").unwrap().is_none());
        fs::write(&file, "7\t3\tP\t1\n7\t4\tQ\t1\n").unwrap();
        let error = load(&file, "acme").unwrap_err().to_string();
        assert!(error.contains("acme.tsv:2") && error.contains('Q'), "{error}");
    }
}
