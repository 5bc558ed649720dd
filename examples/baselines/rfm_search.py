#!/usr/bin/python3
"""Runs ansatz rfm --search on the tables and splits of ansatz tabular.

    ansatz tabular --benchmark uci/ --rows 1000 --splits-out out/splits
    examples/baselines/rfm_search.py out/splits out/search --trials 30 --time 60s
    ansatz leaderboard out/tables/results.csv out/search/results.csv

Every fold is a search by cross-validation on all of its rows but the test rows, which choose nothing; the best trial is
fitted to these rows. Other methods of the protocol choose on its validation rows and are fitted to the same rows. Writes
results.csv, with the mean score over the folds of every table, and search.json, with what was chosen in each.
"""
import argparse, collections, csv, json, os, subprocess, tempfile

a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
a.add_argument("splits")
a.add_argument("out")
a.add_argument("--ansatz", default="ansatz", help="the program")
a.add_argument("--trials", type=int, default=30)
a.add_argument("--time", default="60s", help="after which a search begins no trial")
a.add_argument("--average", type=int, default=1)
a = a.parse_args()

with open(os.path.join(a.splits, "splits.json")) as f:
    about = json.load(f)
parts = collections.defaultdict(dict)
with open(os.path.join(a.splits, "splits.csv")) as f:
    for r in csv.DictReader(f):
        parts[r["dataset"], int(r["fold"])][int(r["row"])] = r["part"]

os.makedirs(a.out, exist_ok=True)
results, chosen = [], []
for t in about["tables"]:
    with open(os.path.join(a.splits, t["file"])) as f:
        header, *rows = list(csv.reader(f))
    # Categories that are numbers would be read as numbers.
    names = set(t.get("nominal") or {}) | ({t["target"]} if t["measure"] == "accuracy" else set())
    for row in rows:
        for k, column in enumerate(header):
            if column in names and row[k] != "":
                row[k] = "=" + row[k]
    scores = []
    for fold in range(1, t["folds"] + 1):
        of = parts[t["name"], fold]
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "table.csv")
            with open(path, "w", newline="") as f:
                w = csv.writer(f)
                w.writerow(header + ["split part"])
                for i, row in enumerate(rows):
                    w.writerow(row + [{"test": "test", None: ""}.get(of.get(i), "train")])
            r = subprocess.run([a.ansatz, "rfm", "--data", path, "--target", t["target"], "--split-column", "split part",
                                "--search", str(a.trials), "--time", a.time, "--average", str(a.average), "--json", "--quiet"],
                               capture_output=True, text=True)
        if r.returncode:
            raise SystemExit(f"{t['name']}, fold {fold}: {r.stderr}")
        r = json.loads(r.stdout)
        scores.append(r["test_accuracy"] if t["measure"] == "accuracy" else r["test_r2"])
        best = next(x for x in r["trials"] if x["trial"] == r["chosen"][0])
        chosen.append({"table": t["name"], "fold": fold, "score": scores[-1], "trials": len(r["trials"]),
                       "seconds": round(r["seconds"], 1), "best": best})
    results.append((t["name"], sum(scores) / len(scores)))
    print(f"{t['name']}: {results[-1][1]:.4f}", flush=True)
    with open(os.path.join(a.out, "results.csv"), "w", newline="") as f:
        csv.writer(f).writerows([("dataset", "rfm-search"), *results])
    with open(os.path.join(a.out, "search.json"), "w") as f:
        json.dump({"trials": a.trials, "time": a.time, "average": a.average, "seed": 0, "folds": chosen}, f, indent=1)
