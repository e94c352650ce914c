"""Prints the table of docs/reference/models.md: how good every kind of model is on every set, and how long it trains.

models.py NBSVM FOLDER [RUNS [SET...]]

Options are the defaults of the kind of model. Of a set with a test part, a model is trained on the training part and
judged on the test part; one without is judged by 10-fold cross-validation, and trained on all of it for the time. The
time is the processor's, of the whole process on one thread, from text to model: the median of some runs. What takes
longer than half an hour is a dash.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

# Name, folder, flags, and which lines are taken: one in so many.
SETS = [
    ("IMDB", "imdb", [], 1),
    ("SST-2", "sst2", [], 1),
    ("rt-polarity", "rt-polarity", [], 1),
    ("pros-cons", "pros-cons", [], 1),
    ("SMS spam", "sms-spam", [], 1),
    ("tweets, emotion", "tweet-emotion", [], 1),
    ("TREC", "trec", [], 1),
    ("banking77", "banking77", [], 1),
    ("20 Newsgroups", "20news", [], 1),
    ("Reuters, micro F1", "reuters21578-modapte", ["--label-sep", ","], 1),
    ("THUCNews, Chinese", "zh-thucnews-titles", [], 1),
    ("zh-waimai, Chinese", "zh-waimai", [], 1),
    ("Bible, 72 languages", "bible-langid", ["--preset", "language"], 15),
]

KINDS = "nbsvm svm logistic mnb bnb cnb perceptron pa rocchio gbdt knn".split()

nbsvm, data = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
runs, asked = int(sys.argv[3]) if len(sys.argv) > 3 else 3, sys.argv[4:]


def run(*words):
    """What a command prints, and the processor's time that it takes."""
    before = os.times()
    out = subprocess.run([nbsvm, *map(str, words)], check=True, stdout=subprocess.PIPE, timeout=1800).stdout
    after = os.times()
    return out, after.children_user + after.children_system - before.children_user - before.children_system


def part(folder, name, every, temporary):
    """A file of a set, or of some of its lines; None if there is none."""
    path = data / folder / f"{name}.tsv.zst"
    if not path.exists() or every == 1:
        return path if path.exists() else None
    lines = subprocess.run(["zstd", "-dc", path], check=True, stdout=subprocess.PIPE).stdout.splitlines(keepends=True)
    some = pathlib.Path(temporary, name + ".tsv")
    some.write_bytes(b"".join(lines[::every]))
    return some


def measure(folder, flags, every, kind):
    """Score and seconds of a kind of model on a set."""
    with tempfile.TemporaryDirectory() as temporary:
        train, test, all = (part(folder, name, every, temporary) for name in ("train", "test", "all"))
        model, flags = pathlib.Path(temporary, "model.nbm"), ["-q", "--model", kind, *flags]
        times = [run("train", "--threads", 1, *flags, "-o", model, train or all)[1] for _ in range(runs)]
        printed, _ = run("eval", "-q", "--json", model, test) if test else run("cv", "--json", *flags, all)
        judged = json.loads(printed)
        score = judged.get("mean", judged)["micro_f1" if "--label-sep" in flags else "accuracy"]
        return 100 * score, statistics.median(times)


print("| | " + " | ".join(f"`{kind}`" for kind in KINDS) + " |\n| --- |" + " ---: |" * len(KINDS))
for name, folder, flags, every in SETS:
    if not any((data / folder).glob("*.tsv.zst")) or asked and folder not in asked:
        continue
    found = []
    for kind in KINDS:
        try:
            found.append(measure(folder, flags, every, kind))
        except subprocess.TimeoutExpired:
            found.append((0, 0))
    best, cells = max(found)[0], []
    for score, seconds in found:
        text = f"**{score:.1f}**" if score == best else f"{score:.1f}"
        cells.append(f"{text}, {seconds:.{2 if seconds < 10 else 0}f} s" if score else "–")
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
