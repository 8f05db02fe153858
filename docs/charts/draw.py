#!/usr/bin/env python3
"""Draws docs/charts/FILE from each table that follows `<!-- chart: FILE, TITLE -->` in a page of docs/.

    python3 docs/charts/draw.py            # writes the charts
    python3 docs/charts/draw.py --check    # fails if a chart is out of date
"""

import html
import pathlib
import re
import sys

CHARTS = pathlib.Path(__file__).parent
LEFT, RIGHT, BAR = 270, 760, 15
# The colors also differ in lightness, and are readable on white and on black.
COLORS = ["#3b6fb6", "#d08a2e", "#4f9a6d", "#a05a9c"]
STYLE = """<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .small { font-size: 11px }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
</style>"""


def cells(row):
    return [re.sub("[`*]", "", cell).strip() for cell in row.strip("|").split("|")]


def draw(title, columns, rows):
    max_number = max(number for _, numbers in rows for number in numbers)
    group_height = BAR * len(columns) + 14
    height = 74 + group_height * len(rows)
    title = html.escape(title)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="820" height="{height}" viewBox="0 0 820 {height}" '
        f'role="img" aria-label="{title}">\n{STYLE}',
        f'<text x="10" y="22" font-weight="bold">{title}</text>',
    ]
    x = 10
    for column, color in zip(columns, COLORS):
        swatch = f'<rect x="{x}" y="36" width="12" height="12" fill="{color}"/>'
        out.append(f'{swatch}<text x="{x + 18}" y="47">{html.escape(column)}</text>')
        x += 40 + 8 * len(column)
    for index, (name, numbers) in enumerate(rows):
        top = 64 + group_height * index
        label_y = f"{top + BAR * len(numbers) / 2 + 4:g}"
        out.append(f'<text x="{LEFT - 10}" y="{label_y}" text-anchor="end">{html.escape(name)}</text>')
        for bar, (number, color) in enumerate(zip(numbers, COLORS)):
            y, width = top + BAR * bar, (RIGHT - LEFT) * number / max_number
            rect = f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{color}"/>'
            out.append(f'{rect}<text class="small" x="{LEFT + width + 5:.1f}" y="{y + 11}">{number:g}</text>')
    return "\n".join([*out, "</svg>", ""])


stale_files = []
for page in sorted(CHARTS.parent.glob("*.md")):
    text = page.read_text(encoding="utf-8")
    for file, title, table in re.findall(r"<!-- chart: (.+?), (.+?) -->\n+((?:\|.*\n)+)", text):
        header, _, *rows = [cells(row) for row in table.splitlines()]
        numbers = [(row[0], [float(cell.replace(",", "")) for cell in row[1:]]) for row in rows]
        svg, path = draw(title, header[1:], numbers), CHARTS / file
        if not path.exists() or path.read_text(encoding="utf-8") != svg:
            stale_files.append(str(path))
            if "--check" not in sys.argv:
                path.write_text(svg, encoding="utf-8")
if stale_files:
    print("\n".join(stale_files))
    sys.exit("out of date; run python3 docs/charts/draw.py" if "--check" in sys.argv else 0)
