#!/usr/bin/python3
"""Runs methods of scikit-learn on the tables and splits of ansatz tabular.

    ansatz tabular --benchmark uci/ --splits-out out/splits
    examples/baselines/tables.py out/splits out/baselines
    ansatz tabular --benchmark uci/ --others out/baselines/results.csv

Methods: a random forest, gradient boosting of trees by histograms, a multilayer
perceptron, and a support vector machine with the RBF kernel. Each has a small
grid (see GRIDS), of which the validation rows of the protocol choose, the first
of equals; test rows choose nothing. All see the features that the methods of
ansatz see: numeric columns scaled to mean 0 and variance 1, a column for each
category, and for missing values the mean or the most frequent category, all of
the rows that are trained on.

Writes results.csv, which ansatz leaderboard and ansatz tabular --others read,
and baselines.json: versions, seed, grids, and what was chosen in every fold.
The same seed gives the same results. A table is one process, of one thread.
"""
import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # before numpy

import argparse
import csv
import hashlib
import itertools
import json
import multiprocessing
import platform
import sys
import time
import warnings

import numpy as np
import scipy
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (HistGradientBoostingClassifier, HistGradientBoostingRegressor,
                              RandomForestClassifier, RandomForestRegressor)
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

# The values that are tried, in this order; the last key varies fastest.
GRIDS = {
    "random-forest": {"max_features": ["sqrt", .5], "min_samples_leaf": [1, 3]},
    "gradient-boosting": {"max_leaf_nodes": [8, 31], "learning_rate": [.05, .2]},
    "mlp": {"hidden_layer_sizes": [[100], [100, 100]], "alpha": [.1, 1e-4]},
    "svm": {"C": [1, 10, 100], "gamma_times_features": [.25, 1, 4]},
}

# What all configurations have.
FIXED = {
    "random-forest": {"n_estimators": 200},
    "gradient-boosting": {"max_iter": 100, "early_stopping": False},
    "mlp": {"max_iter": 300},
    "svm": {},
}

# The classes for classification and for regression.
MODELS = {
    "random-forest": (RandomForestClassifier, RandomForestRegressor),
    "gradient-boosting": (HistGradientBoostingClassifier, HistGradientBoostingRegressor),
    "mlp": (MLPClassifier, MLPRegressor),
    "svm": (SVC, SVR),
}


def configurations(method):
    grid = GRIDS[method]
    return [dict(zip(grid, values)) for values in itertools.product(*grid.values())]


def model(method, config, classifies, features, seed):
    settings = {**config, **FIXED[method]}
    if method == "svm":
        settings["gamma"] = settings.pop("gamma_times_features") / features
    if method != "svm":
        settings["random_state"] = seed
    return MODELS[method][0 if classifies else 1](**settings)


class Table:
    """A table with its folds: rows by fold and part."""

    def __init__(self, about, folder, folds):
        self.about, self.folds = about, folds
        self.classifies = about["measure"] == "accuracy"
        with open(os.path.join(folder, about["file"]), newline="") as f:
            names, *rows = csv.reader(f)
        if names[-1] != about["target"] or len(rows) != about["rows"]:
            sys.exit(f"{about['file']} is not the table of splits.json: write the splits anew")
        self.nominal = about.get("nominal", {})
        self.names = names[:-1]
        cells = np.array(rows, dtype=object)
        # None is missing in columns of categories, NaN in those of numbers.
        self.columns = [[c or None for c in cells[:, j]] if name in self.nominal else
                        [float(c) if c else np.nan for c in cells[:, j]]
                        for j, name in enumerate(self.names)]
        self.y = cells[:, -1].astype(str) if self.classifies else cells[:, -1].astype(float)

    def features(self, train, *others):
        """Returns the features of some lists of rows, encoded by the first."""
        x = np.empty((len(self.y), len(self.names)), dtype=object)
        for j, column in enumerate(self.columns):
            x[:, j] = column
        numbers = [j for j, n in enumerate(self.names) if n not in self.nominal]
        parts = [("numbers", make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()), numbers)]
        for j, name in enumerate(self.names):
            if name in self.nominal:
                impute = SimpleImputer(missing_values=None, strategy="most_frequent", keep_empty_features=True)
                categories = [np.array(self.nominal[name], dtype=object)]
                parts.append((name, make_pipeline(impute, OneHotEncoder(
                    categories=categories, sparse_output=False, handle_unknown="ignore")), [j]))
        encoder = ColumnTransformer(parts)
        encoded = [np.asarray(encoder.fit_transform(x[train]), dtype=float)]
        if encoded[0].shape[1] != self.about["features"]:
            raise ValueError(f"{encoded[0].shape[1]} features, splits.json has {self.about['features']}")
        return encoded + [np.asarray(encoder.transform(x[rows]), dtype=float) for rows in others]

    def score(self, method, config, train, test, seed):
        """Fits on some rows, and returns the accuracy or R² on others."""
        x, z = self.features(train, test)
        m = model(method, config, self.classifies, x.shape[1], seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            m.fit(x, self.y[train])
        return float(m.score(z, self.y[test]))


def rows_of(fold, parts):
    return np.array(sorted(itertools.chain.from_iterable(fold.get(p, []) for p in parts)), dtype=int)


def best(method, table, folds, seed):
    """Returns the configuration with the highest mean score on the validation rows of the folds."""
    chosen, highest = None, -np.inf
    for config in configurations(method):
        score = np.mean([table.score(method, config, rows_of(f, ["train"]), rows_of(f, ["validation"]), seed)
                         for f in folds])
        if score > highest:
            chosen, highest = config, score
    return chosen, float(highest)


def run(job):
    """Runs all methods on a table, by the protocol of the splits."""
    table, methods, splits, seed = job
    results = {}
    for method in methods:
        start, folds = time.time(), []
        tested = {k: f for k, f in table.folds.items() if "test" in f}
        by_fold = "validation" in splits["refit"]
        if not by_fold:  # one choice for all folds
            choosing = [f for f in table.folds.values() if "validation" in f]
            chosen, validated = best(method, table, choosing, seed)
        for k, f in sorted(tested.items()):
            if by_fold:
                chosen, validated = best(method, table, [f], seed)
            train = rows_of(f, splits["refit"])
            folds.append({"fold": k, "train": len(train), "test": len(f["test"]), "chosen": chosen,
                          "validation_score": validated,
                          "score": table.score(method, chosen, train, rows_of(f, ["test"]), seed)})
        results[method] = {"score": float(np.mean([f["score"] for f in folds])), "by_fold": folds,
                           "seconds": time.time() - start}
    return table.about["name"], results


def read_folds(path):
    """Returns the rows by dataset, fold and part."""
    folds = {}
    with open(path, newline="") as f:
        for line in csv.DictReader(f):
            fold = folds.setdefault(line["dataset"], {}).setdefault(int(line["fold"]), {})
            fold.setdefault(line["part"], []).append(int(line["row"]))
    return folds


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("splits", help="folder that ansatz tabular --splits-out wrote")
    p.add_argument("out", help="folder for results.csv and baselines.json")
    p.add_argument("--methods", default=",".join(GRIDS), help="some of %(default)s")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--jobs", type=int, default=2, choices=[1, 2], help="tables at a time")
    a = p.parse_args()
    methods = a.methods.split(",")
    for m in methods:
        if m not in GRIDS:
            p.error(f"--methods: {m}: want some of {', '.join(GRIDS)}")
    with open(os.path.join(a.splits, "splits.json")) as f:
        splits = json.load(f)
    path = os.path.join(a.splits, "splits.csv")
    with open(path, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    versions = {"python": platform.python_version(), "scikit-learn": sklearn.__version__,
                "numpy": np.__version__, "scipy": scipy.__version__}
    print(", ".join(f"{k} {v}" for k, v in versions.items()) + f"; seed {a.seed}; splits {digest[:12]}", flush=True)

    folds = read_folds(path)
    tables = [Table(t, a.splits, folds[t["name"]]) for t in splits["tables"] if not t.get("error")]
    tables.sort(key=lambda t: -t.about["rows"] * t.about["features"])  # the longest first
    found = {}
    start = time.time()
    with multiprocessing.Pool(a.jobs) as pool:
        jobs = [(t, methods, splits, a.seed) for t in tables]
        for name, results in pool.imap_unordered(run, jobs):
            found[name] = results
            scores = ", ".join(f"{m} {r['score']:.4f} ({r['seconds']:.0f} s)" for m, r in results.items())
            print(f"{len(found)} of {len(tables)}: {name}: {scores}", flush=True)

    os.makedirs(a.out, exist_ok=True)
    with open(os.path.join(a.out, "results.csv"), "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["dataset"] + methods)
        for name in sorted(found):
            out.writerow([name] + [repr(found[name][m]["score"]) for m in methods])
    about = {"versions": versions, "seed": a.seed, "splits_sha256": digest, "protocol": splits["protocol"],
             "choice": splits["choice"], "grids": {m: GRIDS[m] for m in methods},
             "fixed": {m: FIXED[m] for m in methods}, "seconds": time.time() - start,
             "tables": {name: found[name] for name in sorted(found)}}
    with open(os.path.join(a.out, "baselines.json"), "w") as f:
        json.dump(about, f, indent=1)
        f.write("\n")
    print(f"{os.path.join(a.out, 'results.csv')}: {len(found)} tables in {time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
