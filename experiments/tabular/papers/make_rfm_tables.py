#!/usr/bin/python3
"""Transcribes the result tables of the paper rfm from its text: Tables 2 to 5,
and the metrics of Figs. 4 and 5 that are checked on them.

    ./make_rfm_tables.py PAPER.txt

Methods have the names of Fig. 5 everywhere: Table 2 calls RFM "ours". Numbers
are as printed, "-" is missing.
"""
import csv
import re
import sys

NAMES = {
    "GradientBoostingTree": "Gradient Boosting Tree",
    "HistGradientBoostingTree": "Hist Gradient Boosting Tree",
    "RandomForest": "Random Forest",
    "ours": "RFM",
}
# What Fig. 5 calls a dataset, and what Tables 2 and 3 do.
LARGE = {
    "MiniBooNE": ("MiniBooNE", 50000), "HIGGS": ("Higgs", 50000),
    "Covertype": ("covertype", 50000), "Jannis": ("jannis", 40306),
    "Diamonds": ("diamonds", 37758), "NYC Taxi Green Dec. 2016": ("nyc-taxi-green-dec-2016", 50000),
    "Year": ("year", 50000),
}


def method(name):
    name = re.sub(r"\$\{\\rm (\w+)\}\$", r"\1", name.strip())
    return NAMES.get(name, name)


def write(path, rows):
    with open(path, "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows(rows)


def tables(lines):
    """Yields number and rows of the tables that begin with n-train."""
    rows = []
    for line in lines:
        cells = line.split("\t")
        if cells[0] == "n-train":
            rows = [["dataset", "n-train"] + [method(c) for c in cells[2:]]]
        elif rows and line.startswith("Table "):
            yield int(line[6]), rows
            rows = []
        elif rows and line.strip():
            assert len(cells) == len(rows[0]), line
            rows.append([cells[1], str(int(float(cells[0])))] + cells[2:-1] + [method(cells[-1])])


def large(lines, panel, caption):
    """The panels a and b of Fig. 5: a line for each dataset."""
    at = next(i for i, l in enumerate(lines) if l.startswith(caption))
    block = [l.rstrip().split("\t") for l in lines[at + 1:at + 8] if l.strip()]
    methods = [method(c) for c in block[0][1:]]
    for cells in block[1:]:
        if cells[0] not in LARGE:
            break
        for m, v in zip(methods, cells[1:], strict=True):
            yield [panel, "score", *LARGE[cells[0]], m, v, ""]


def metrics(lines):
    """The panels c and d of Fig. 5, which share lines."""
    at = next(i for i, l in enumerate(lines) if l.startswith("Metric\tRFM"))
    head = lines[at].split("\t")
    split = head.index("Metric", 1)
    panels = {"c": [method(c) for c in head[1:split]], "d": [method(c) for c in head[split + 1:]]}
    for line in lines[at + 1:at + 6]:
        cells = [c.strip() for c in line.split("\t")]
        for panel, cells in (("c", cells[:split]), ("d", cells[split:])):
            cells = [c for c in cells if c and c != "(%)"]
            if not cells:
                continue
            for m, v in zip(panels[panel], cells[1:], strict=True):
                value, _, sd = (x.strip() for x in v.partition("±"))
                name = {"Average Accuracy": "average", "Average R ²": "average", "Friedman rank": "friedman"}.get(cells[0], cells[0].lower())
                yield [panel, name, "", "", m, value, sd]


def uci(lines):
    """The panels a and b of Fig. 4."""
    panel = "a"
    for line in lines:
        cells = [c.strip() for c in line.split("\t")]
        if len(cells) == 6 and cells[0].startswith("(b)") or line.startswith("(b)\tPerformance"):
            panel = "b"
        if len(cells) != 6 or not re.fullmatch(r"\d\d\.\d\d", cells[1]):
            continue
        pma, _, sd = (x.strip() for x in cells[4].partition("±"))
        yield [panel, cells[0].replace("*", "").replace(" (Ours)", ""), cells[1], cells[2], cells[3], pma, sd, cells[5]]


def main():
    lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
    found = dict(tables(lines))
    assert sorted(found) == [2, 3, 4, 5]
    for k, rows in found.items():
        write(f"rfm_table{k}.csv", rows)
    write("rfm_fig5.csv", [["panel", "measure", "dataset", "n-train", "method", "printed", "sd"]]
          + list(large(lines, "a", "(a) Accuracy (%) across large")) + list(large(lines, "b", "(b) R² across large")) + sorted(metrics(lines), key=lambda r: r[0]))
    write("rfm_fig4.csv", [["panel", "method", "average", "p90", "p95", "pma", "pma_sd", "friedman"]] + list(uci(lines)))


main()
