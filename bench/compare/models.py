"""Every kind of model on every set: how good it is, and how long it takes to train.

models.py --data FOLDER --nbsvm PROGRAM --out FOLDER [--sets a,b] [--models a,b] [--runs 3] [--limit 1800]
    [--page docs/reference/models.md]

Options are the defaults of the kind of model, but for n-grams of characters where the table says so. Of a set with a
test part, a model is trained on the training part and judged on the test part; one without is judged by 10-fold
cross-validation, and trained on all of it for the time. The time is the processor's, of the whole process on one
thread, from text to model: the median of some runs. What was measured is kept in models.json, and is not measured
again; the table is models.md, and with --page also put between the marks in a page. What took longer than the limit is
a dash.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
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


class Bench:
    def __init__(self, arguments, folder):
        self.data, self.nbsvm, self.folder = arguments.data, arguments.nbsvm, folder
        self.runs, self.limit, self.out = arguments.runs, arguments.limit, arguments.out
        self.path = self.out / "models.json"
        self.known = json.loads(self.path.read_text()) if self.path.exists() else {}

    def kinds(self):
        """Kinds of model, in the order in which help lists them."""
        text = subprocess.run([self.nbsvm, "train", "--help"], check=True, capture_output=True, text=True).stdout
        named = re.search(r"--model=KIND\s+(.*?)\s*\(default", re.sub(r"\s+", " ", text)).group(1)
        return re.split(r", | or ", named)

    def processor_seconds(self, words):
        """What a command prints, and the processor's time that it takes."""
        before, pipe = os.times(), subprocess.PIPE
        process = subprocess.Popen([self.nbsvm, *map(str, words)], stdout=pipe, stderr=pipe, text=True)
        try:
            out, err = process.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, None
        if process.returncode:
            raise SystemExit(f"nbsvm {' '.join(map(str, words))}: {err}")
        after = os.times()
        return out, after.children_user + after.children_system - before.children_user - before.children_system

    def part(self, folder, name, every):
        """A file of a set, or of some of its lines; None if there is none."""
        path = self.data / folder / f"{name}.tsv.zst"
        if not path.exists() or every == 1:
            return path if path.exists() else None
        some = self.folder / f"{folder}.{name}.tsv"
        if not some.exists():
            with subprocess.Popen(["zstd", "-dc", path], stdout=subprocess.PIPE) as process, some.open("wb") as file:
                file.writelines(line for k, line in enumerate(process.stdout) if k % every == 0)
        return some

    def measure(self, folder, flags, every, kind):
        train, test = self.part(folder, "train", every), self.part(folder, "test", every)
        flags = ["-q", "--model", kind, *flags]
        model, times = self.folder / "model.nbm", []
        for run in range(self.runs):
            made, took = self.processor_seconds(
                ["train", "--threads", 1, *flags, "-o", model, train or self.part(folder, "all", every)]
            )
            if made is None:
                return {"seconds": None, "score": None}
            times.append(took)
            if took > 60:
                break
        if test:
            printed, _ = self.processor_seconds(["eval", "-q", "--json", model, test])
        else:
            printed, _ = self.processor_seconds(["cv", "--json", *flags, self.part(folder, "all", every)])
        if printed is None:
            return {"seconds": None, "score": None}
        judged = json.loads(printed)
        judged = judged.get("mean", judged)
        several = "--label-sep" in flags
        return {"seconds": statistics.median(times), "score": judged["micro_f1" if several else "accuracy"]}

    def all(self, sets, kinds):
        for name, folder, flags, every in sets:
            for kind in kinds:
                key = f"{name}/{kind}"
                if key not in self.known:
                    self.known[key] = self.measure(folder, flags, every, kind)
                    self.path.write_text(json.dumps(self.known, indent=1))
                    print(key, self.known[key], flush=True)

    def table(self, sets, kinds):
        lines = ["| | " + " | ".join(f"`{kind}`" for kind in kinds) + " |", "| --- |" + " ---: |" * len(kinds)]
        for name, *_ in sets:
            found = [self.known[f"{name}/{kind}"] for kind in kinds]
            best = max((f["score"] or 0) for f in found)
            cells = [cell(f, best) for f in found]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        return "\n".join(lines) + "\n"


def cell(found, best):
    if found["score"] is None:
        return "–"
    score = f"{100 * found['score']:.1f}"
    if found["score"] == best:
        score = f"**{score}**"
    s = found["seconds"]
    return f"{score}, {s:.2f} s" if s < 10 else f"{score}, {s:.0f} s"


def processor():
    told = pathlib.Path("/proc/cpuinfo").read_text()
    found = re.search(r"^model name\s*:\s*(.*)$", told, re.MULTILINE)
    return (found.group(1) if found else "an unknown processor") + (" with AVX-512" if "avx512f" in told else "")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--data", type=pathlib.Path, required=True)
    p.add_argument("--nbsvm", type=lambda path: pathlib.Path(path).resolve(), required=True)
    p.add_argument("--out", type=pathlib.Path, required=True)
    p.add_argument("--sets", default="")
    p.add_argument("--models", default="")
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--limit", type=float, default=1800, help="seconds that a command may take")
    p.add_argument("--page", type=pathlib.Path)
    arguments = p.parse_args()
    sets = [s for s in SETS if not arguments.sets or s[1] in arguments.sets.split(",")]
    sets = [s for s in sets if any((arguments.data / s[1]).glob("*.tsv.zst"))]
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(arguments, pathlib.Path(folder))
        kinds = arguments.models.split(",") if arguments.models else b.kinds()
        b.all(sets, kinds)
    table = f"Measured on one thread of {processor()}.\n\n" + b.table(sets, kinds)
    (arguments.out / "models.md").write_text(table)
    if arguments.page:
        begin, end = "<!-- made by make compare-models -->\n", "<!-- end -->\n"
        text = arguments.page.read_text()
        head, rest = text.split(begin)
        arguments.page.write_text(head + begin + "\n" + table + "\n" + end + rest.split(end)[1])
    print(table)


main()
