//! `cargo xtask charts`: bars for tables of the documentation. A table that follows `<!-- chart: FILE, TITLE -->` is drawn
//! into `docs/charts/FILE`, so that a picture cannot say something else than the text.

use crate::fail::{Fail, Result};
use crate::place::Place;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The folder of the pages that may have charts.
const PAGES: &str = "docs";
/// The width of a chart, in pixels; the README's and GitHub's column is at least as wide.
const WIDTH: f64 = 820.0;
/// Where bars begin and end, in pixels.
const BARS: (f64, f64) = (270.0, 760.0);
/// The height of one bar, in pixels.
const BAR: f64 = 15.0;
/// Colours of the columns that differ in lightness as well, readable on white and on black.
const COLOURS: [&str; 4] = ["#3b6fb6", "#d08a2e", "#4f9a6d", "#a05a9c"];

/// A table to be drawn.
#[derive(Debug, PartialEq)]
struct Chart {
    file: String,
    title: String,
    columns: Vec<String>,
    rows: Vec<(String, Vec<f64>)>,
}

/// Writes every chart. Returns where they are.
pub fn write(place: &Place) -> Result<Vec<PathBuf>> {
    let folder = place.root.join(PAGES).join("charts");
    std::fs::create_dir_all(&folder)?;
    let mut written = Vec::new();
    for chart in all(place)? {
        let path = folder.join(&chart.file);
        std::fs::write(&path, svg(&chart))?;
        written.push(path);
    }
    Ok(written)
}

/// The charts that are missing or say something else than their tables.
pub fn stale(place: &Place) -> Result<Vec<String>> {
    let folder = place.root.join(PAGES).join("charts");
    let current = |chart: &Chart| std::fs::read_to_string(folder.join(&chart.file)).ok();
    let charts = all(place)?;
    Ok(charts.iter().filter(|c| current(c) != Some(svg(c))).map(|c| c.file.clone()).collect())
}

fn all(place: &Place) -> Result<Vec<Chart>> {
    let mut charts = Vec::new();
    for entry in std::fs::read_dir(place.root.join(PAGES))? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "md") {
            let text = std::fs::read_to_string(&path)?;
            let found = read(&text).map_err(|why| {
                Fail::new(
                    format!("{}: {why}", place.short(&path)),
                    "A chart wants a table of numbers below its comment.",
                )
            })?;
            charts.extend(found);
        }
    }
    charts.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(charts)
}

/// The tables of a page that are to be drawn.
fn read(text: &str) -> std::result::Result<Vec<Chart>, String> {
    let mut charts = Vec::new();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (at, line) in lines.iter().enumerate() {
        let Some(said) = line.strip_prefix("<!-- chart:").and_then(|l| l.strip_suffix("-->")) else {
            continue;
        };
        let (file, title) = said.split_once(',').ok_or("the comment names no title")?;
        let mut table =
            lines[at + 1..].iter().skip_while(|l| l.is_empty()).take_while(|l| l.starts_with('|'));
        let columns: Vec<String> =
            cells(table.next().ok_or("no table follows")?).into_iter().skip(1).collect();
        let mut rows = Vec::new();
        for row in table.skip(1) {
            let mut cells = cells(row).into_iter();
            let name = cells.next().unwrap_or_default();
            let numbers: std::result::Result<Vec<f64>, _> =
                cells.map(|c| c.replace(',', "").parse()).collect();
            let numbers = numbers.map_err(|_| format!("\"{name}\" has a cell that is no number"))?;
            if numbers.len() != columns.len() {
                return Err(format!(
                    "\"{name}\" has {} numbers for {} columns",
                    numbers.len(),
                    columns.len()
                ));
            }
            rows.push((name, numbers));
        }
        if rows.is_empty() || columns.is_empty() {
            return Err("the table is empty".to_owned());
        }
        let (file, title) = (file.trim().to_owned(), title.trim().to_owned());
        charts.push(Chart { file, title, columns, rows });
    }
    Ok(charts)
}

/// The cells of a row, without marks of Markdown.
fn cells(row: &str) -> Vec<String> {
    row.trim_matches('|').split('|').map(|c| c.replace(['`', '*'], "").trim().to_owned()).collect()
}

fn svg(chart: &Chart) -> String {
    let most = chart.rows.iter().flat_map(|(_, n)| n).copied().fold(f64::MIN_POSITIVE, f64::max);
    let group = BAR * chart.columns.len() as f64 + 14.0;
    let height = 74.0 + group * chart.rows.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         role=\"img\" aria-label=\"{title}\">\n<style>\n  text {{ font: 13px system-ui, sans-serif; fill: #1f2328 }}\n  \
         .small {{ font-size: 11px }}\n  @media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3 }} }}\n</style>\n",
        title = escaped(&chart.title)
    );
    let _ = writeln!(out, "<text x=\"10\" y=\"22\" font-weight=\"bold\">{}</text>", escaped(&chart.title));
    let mut x = 10.0;
    for (column, colour) in chart.columns.iter().zip(COLOURS.iter().cycle()) {
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"36\" width=\"12\" height=\"12\" fill=\"{colour}\"/><text x=\"{}\" y=\"47\">{}</text>",
            x + 18.0,
            escaped(column)
        );
        x += 40.0 + 8.0 * column.chars().count() as f64;
    }
    for (n, (name, numbers)) in chart.rows.iter().enumerate() {
        let top = 64.0 + group * n as f64;
        let middle = top + BAR * numbers.len() as f64 / 2.0 + 4.0;
        let (left, right) = BARS;
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{}</text>",
            left - 10.0,
            escaped(name)
        );
        for (m, (number, colour)) in numbers.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let y = top + BAR * m as f64;
            let width = (right - left) * number / most;
            let _ = writeln!(
                out,
                "<rect x=\"{left}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" fill=\"{colour}\"/><text class=\"small\" x=\"{:.1}\" y=\"{}\">{number}</text>",
                BAR - 2.0,
                left + width + 5.0,
                y + 11.0
            );
        }
    }
    out.push_str("</svg>\n");
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# P\n\n<!-- chart: a.svg, Time & more -->\n\n| x | one | two |\n|---|---|---|\n| `f` g | .5 | 1,000 |\n| h | 2 | 3 |\n\nText.\n";

    #[test]
    fn a_table_below_its_comment_is_read() {
        let charts = read(PAGE).unwrap();
        let rows = vec![("f g".to_owned(), vec![0.5, 1000.0]), ("h".to_owned(), vec![2.0, 3.0])];
        assert_eq!((charts[0].file.as_str(), &charts[0].rows), ("a.svg", &rows));
        assert!(read("| x | y |\n|---|---|\n| a | 1 |\n").unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_drawn_is_told() {
        for (table, why) in [
            ("", "no table"),
            ("| x | y |\n|---|---|\n| a | many |\n", "no number"),
            ("| x | y |\n|---|---|\n| a | 1 | 2 |\n", "2 numbers for 1"),
            ("| x | y |\n|---|---|\n", "empty"),
        ] {
            let error = read(&format!("<!-- chart: a.svg, T -->\n{table}")).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn the_longest_bar_is_that_of_the_largest_number_and_text_ends_no_tag() {
        let svg = svg(&read(PAGE).unwrap()[0]);
        assert!(svg.contains("width=\"490.0\"") && svg.contains(">1000</text>"), "{svg}");
        assert!(svg.contains("Time &amp; more"), "{svg}");
    }
}
