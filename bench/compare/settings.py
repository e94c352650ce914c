"""Accuracy of nbsvm's defaults and of nbsvm tune beside scikit-learn and fastText, on sets with a test part.

settings.py --data FOLDER --nbsvm PROGRAM --out FOLDER [--sets a,b] [--time 2m] [--outer 10] [--autotune 120]

Of a set with train.tsv and test.tsv (plain, .gz or .zst), all are trained on the one and the test part is read once, for
the figure. A set with all.tsv alone is cut into outer folds: everything, the search included, is done within each.
scikit-learn and fastText get the text as lower-case words, characters and marks, as nbsvm's tokenizer has them, and
fastText gets the documents shuffled. The results are settings.md and settings.json.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile
import time

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_union
from sklearn.svm import LinearSVC

HAN = r"\u3007\u3400-\u9fff\uf900-\ufaff"
TOKEN = re.compile(rf"[{HAN}]|[^\W_{HAN}]+(?:['’][^\W_{HAN}]+)*|[!?.,;:()\"…“”„‟«»！？。．，、；：（）＂「」『』｡､｢｣]")


def read(path):
    """Labels and texts of a file of label<TAB>text."""
    command = {".zst": ["zstd", "-dc"], ".gz": ["gzip", "-dc"]}.get(path.suffix, ["cat"])
    text = subprocess.run([*command, str(path)], check=True, capture_output=True).stdout.decode("utf-8", "replace")
    pairs = [line.split("\t", 1) for line in text.split("\n") if line]
    return [p[0] for p in pairs], [p[1] for p in pairs]


def tokens(text):
    return TOKEN.findall(text.lower())


def find(folder, name):
    return next((p for p in (folder / f"{name}.tsv{end}" for end in ("", ".gz", ".zst")) if p.exists()), None)


def write(path, labels, texts, form):
    path.write_text("".join(form(l, t) for l, t in zip(labels, texts)), encoding="utf-8")


def run(command):
    """Runs a command, which must succeed, and returns what it prints and how long it took."""
    start = time.monotonic()
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command}: {done.stderr}")
    return done.stdout, time.monotonic() - start


class Peers:
    """One split of a set: every method is trained on one part, and scored on the other."""

    def __init__(self, options, folder, train, test):
        self.o, self.folder, self.train, self.test = options, folder, train, test
        write(folder / "train.tsv", *train, lambda l, t: f"{l}\t{t}\n")
        write(folder / "test.tsv", *test, lambda l, t: f"{l}\t{t}\n")
        prepared = lambda l, t: f"__label__{l.replace(' ', '-')} {' '.join(tokens(t))}\n"
        order = np.random.default_rng(1).permutation(len(train[0]))  # fastText learns from one after another
        write(folder / "train.ft", [train[0][i] for i in order], [train[1][i] for i in order], prepared)
        write(folder / "test.ft", *test, prepared)

    def evaluate(self, model):
        out, _ = run([self.o.nbsvm, "eval", "--json", model, self.folder / "test.tsv"])
        return json.loads(out)["accuracy"]

    def nbsvm_default(self):
        run([self.o.nbsvm, "train", "-q", self.folder / "train.tsv", "-o", self.folder / "d.nbm"])
        return self.evaluate(self.folder / "d.nbm"), ""

    def nbsvm_tune(self):
        out, took = run([self.o.nbsvm, "tune", "--json", "--time", self.o.time, self.folder / "train.tsv", "-o", self.folder / "t.nbm"])
        found = json.loads(out)
        return self.evaluate(self.folder / "t.nbm"), f"{took:.0f} s, {len(found['trials'])} settings: {' '.join(found['chosen']['flags'])}"

    def sklearn_tfidf(self):
        vectorizer = TfidfVectorizer(tokenizer=tokens, token_pattern=None, lowercase=False, ngram_range=(1, 2), sublinear_tf=True)
        svm = LinearSVC(C=1).fit(vectorizer.fit_transform(self.train[1]), self.train[0])
        return accuracy_score(self.test[0], svm.predict(vectorizer.transform(self.test[1]))), ""

    def sklearn_characters(self):
        """tf-idf of words and bigrams beside that of 2 to 5 characters within words."""
        vectorizer = make_union(
            TfidfVectorizer(tokenizer=tokens, token_pattern=None, lowercase=False, ngram_range=(1, 2), sublinear_tf=True),
            TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True))
        svm = LinearSVC(C=1).fit(vectorizer.fit_transform(self.train[1]), self.train[0])
        return accuracy_score(self.test[0], svm.predict(vectorizer.transform(self.test[1]))), ""

    def sklearn_nbsvm(self):
        vectorizer = CountVectorizer(tokenizer=tokens, token_pattern=None, lowercase=False, ngram_range=(1, 2), binary=True)
        x, y = vectorizer.fit_transform(self.train[1]), np.array(self.train[0])
        z, classes = vectorizer.transform(self.test[1]), sorted(set(self.train[0]))
        margins = []
        for c in classes if len(classes) > 2 else classes[1:]:
            p, q = 1 + np.asarray(x[y == c].sum(axis=0)).ravel(), 1 + np.asarray(x[y != c].sum(axis=0)).ravel()
            r = np.log((p / p.sum()) / (q / q.sum()))
            svm = LinearSVC(C=1).fit(x.multiply(r).tocsr(), y == c)
            w = 0.25 * svm.coef_[0] + 0.75 * np.abs(svm.coef_[0]).mean()
            margins.append(z @ (r * w) + 0.25 * svm.intercept_[0])
        best = np.argmax(margins, axis=0) if len(classes) > 2 else (margins[0] > 0).astype(int)
        return accuracy_score(self.test[0], [classes[k] for k in best]), ""

    def fasttext_accuracy(self, *flags):
        run(["fasttext", "supervised", "-input", self.folder / "train.ft", "-output", self.folder / "ft", "-thread", 2, *flags])
        out, _ = run(["fasttext", "test", self.folder / "ft.bin", self.folder / "test.ft"])
        return float(re.search(r"P@1\s+([\d.]+)", out)[1])

    def fasttext_rates(self):
        """The best of three learning rates by the test part: more than anybody who uses it can know."""
        found = {r: self.fasttext_accuracy("-epoch", 10, "-wordNgrams", 2, "-lr", r, "-minCount", 1) for r in (0.1, 0.5, 1.0)}
        rate = max(found, key=found.get)
        return found[rate], f"rate {rate}"

    def fasttext_autotune(self):
        """A tenth of the training part is what it tunes on; the model is trained on the rest."""
        lines = (self.folder / "train.ft").read_text(encoding="utf-8").splitlines(keepends=True)
        order = np.random.default_rng(1).permutation(len(lines))
        cut = len(lines) // 10
        (self.folder / "valid.ft").write_text("".join(lines[i] for i in order[:cut]), encoding="utf-8")
        (self.folder / "rest.ft").write_text("".join(lines[i] for i in order[cut:]), encoding="utf-8")
        run(["fasttext", "supervised", "-input", self.folder / "rest.ft", "-output", self.folder / "auto", "-thread", 2,
             "-autotune-validation", self.folder / "valid.ft", "-autotune-duration", self.o.autotune])
        out, _ = run(["fasttext", "test", self.folder / "auto.bin", self.folder / "test.ft"])
        return float(re.search(r"P@1\s+([\d.]+)", out)[1]), ""


METHODS = ["nbsvm_default", "nbsvm_tune", "sklearn_tfidf", "sklearn_characters", "sklearn_nbsvm", "fasttext_rates", "fasttext_autotune"]


def splits(folder, outer):
    train, test = find(folder, "train"), find(folder, "test")
    if train and test:
        yield read(train), read(test)
        return
    whole = find(folder, "all")
    if not whole:
        raise SystemExit(f"{folder}: no train.tsv and test.tsv, and no all.tsv")
    labels, texts = read(whole)
    for a, b in StratifiedKFold(outer, shuffle=True, random_state=1).split(texts, labels):
        yield ([labels[i] for i in a], [texts[i] for i in a]), ([labels[i] for i in b], [texts[i] for i in b])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--data", required=True, type=pathlib.Path)
    p.add_argument("--out", required=True, type=pathlib.Path)
    p.add_argument("--nbsvm", default="nbsvm")
    p.add_argument("--sets", default="banking77,tweet-emotion,sst2,trec,20news,zh-thucnews-titles,sms-spam,zh-waimai,rt-polarity")
    p.add_argument("--methods", default=",".join(METHODS))
    p.add_argument("--time", default="2m", help="of nbsvm tune")
    p.add_argument("--autotune", default=120, type=int, help="seconds of fastText's")
    p.add_argument("--outer", default=10, type=int, help="folds of a set without a test part")
    o = p.parse_args()
    o.out.mkdir(parents=True, exist_ok=True)
    methods, results = o.methods.split(","), []
    for name in o.sets.split(","):
        row = {"set": name}
        for k, (train, test) in enumerate(splits(o.data / name, o.outer)):
            with tempfile.TemporaryDirectory() as folder:
                peers = Peers(o, pathlib.Path(folder), train, test)
                for m in methods:
                    accuracy, detail = getattr(peers, m)()
                    row.setdefault(m, []).append(accuracy)
                    row.setdefault(m + "_detail", []).append(detail)
                    print(f"{name} {k} {m} {100 * accuracy:.2f} {detail}", flush=True)
        results.append(row)
        (o.out / "settings.json").write_text(json.dumps(results, indent=1))
    table = ["| set | " + " | ".join(methods) + " |", "| --- |" + " --- |" * len(methods)]
    for row in results:
        table.append(f"| {row['set']} | " + " | ".join(f"{100 * np.mean(row[m]):.2f}" for m in methods) + " |")
    (o.out / "settings.md").write_text("\n".join(table) + "\n")
    print("\n".join(table))


if __name__ == "__main__":
    main()
