"""The package, without scikit-learn: python3 -m unittest discover tests."""

import ctypes
import errno
import json
import math
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path
from typing import get_args, get_type_hints

import numpy as np

import nbsvm
from nbsvm import _arrow, _texts
from nbsvm._training import Options

GOOD = ["a lovely warm film", "wonderful acting and a lovely story", "funny, kind and wonderful", "warm and lovely"]
BAD = ["a dull and tiresome film", "tiresome jokes and dreadful acting", "dreadful, dull and boring", "boring and dull"]
TEXTS = (GOOD + BAD) * 4
LABELS = (["good"] * 4 + ["bad"] * 4) * 4


def trained(**options):
    return nbsvm.train(TEXTS, LABELS, **{"loss": "logistic", **options})


class Labels(unittest.TestCase):
    """Labels and data of all types that people have."""

    def labels(self, labels, data=TEXTS):
        return nbsvm.train(data, labels, prefix="", min_df=1).labels

    def test_accepted(self):
        numbers, flags = [1 if label == "good" else 0 for label in LABELS], [label == "good" for label in LABELS]
        for name, labels, want in [
            ("int", numbers, ["0", "1"]),
            ("numpy int", np.array(numbers), ["0", "1"]),
            ("list of numpy int", list(np.array(numbers)), ["0", "1"]),
            ("column of numpy int", np.array(numbers).reshape(-1, 1), ["0", "1"]),
            ("bool", flags, ["False", "True"]),
            ("numpy bool", list(np.array(flags)), ["False", "True"]),
            ("numpy str", np.array(LABELS), ["bad", "good"]),
            ("numpy object", np.array(LABELS, object), ["bad", "good"]),
            ("generator", iter(LABELS), ["bad", "good"]),
            ("int objects", np.array([np.int64(n) for n in numbers], object), ["0", "1"]),
            ("values of a dict", dict(enumerate(LABELS)).values(), ["bad", "good"]),
            ("lists of int", [[3], [5, 7]] * (len(TEXTS) // 2), ["3", "5", "7"]),
        ]:
            with self.subTest(name):
                self.assertEqual(self.labels(labels), want)
        model = nbsvm.train(TEXTS, numbers, prefix="", min_df=1)
        self.assertEqual(model.evaluate(TEXTS, np.array(numbers))["accuracy"], 1)
        self.assertEqual(nbsvm.train(TEXTS, numbers, class_weight={0: 2, 1: 1}, min_df=1).labels[0], "__label__0")

    def test_pandas(self):
        try:
            import pandas as pd
        except ImportError:
            self.skipTest("no pandas here (Debian: python3-pandas)")
        texts, table = pd.Series(TEXTS), pd.DataFrame({"text": TEXTS, "label": LABELS})
        self.assertEqual(self.labels(pd.Series(LABELS), texts), ["bad", "good"])
        self.assertEqual(self.labels(pd.Series(LABELS).astype("category"), texts), ["bad", "good"])
        self.assertEqual(self.labels(table[["label"]], table["text"]), ["bad", "good"])
        self.assertEqual(self.labels((table["label"] == "good").astype(int)), ["0", "1"])
        for data, labels, error, text in [
            (table, None, TypeError, "table['text']"),
            (table, LABELS, TypeError, "table['text']"),
            (texts, pd.Series([1.0, None] * (len(TEXTS) // 2)), TypeError, "1.0 of type float"),
            (texts, pd.Series(["good", pd.NA] * (len(TEXTS) // 2)), nbsvm.Error, "text 2 has no label"),
            (texts, pd.get_dummies(table["label"]), nbsvm.Error, "indicator matrix"),
            (texts, table, TypeError, "pass one of them, such as labels['label']"),
            (texts, pd.Series(LABELS, dtype="category").cat.set_categories(["good"]), nbsvm.Error, "has no label, but nan"),
            (pd.Series([pd.NA, *TEXTS[1:]], dtype="string"), LABELS, TypeError, "leave missing texts out"),
        ]:
            with self.assertRaisesRegex(error, re.escape(text)):
                nbsvm.train(data, labels)

    def test_refused(self):
        half, identity = len(TEXTS) // 2, np.eye(len(TEXTS))
        hot = [[1, 0], [0, 1]] * half
        for name, data, labels, error, text in [
            ("float", TEXTS, [1.5, 2.0] * half, TypeError, "int() or str()"),
            ("nan", TEXTS, ["a", float("nan")] * half, nbsvm.Error, "text 2 has no label"),
            ("None", TEXTS, ["a", None] * half, nbsvm.Error, "text 2 has no label"),
            ("None in a list", TEXTS, [["a"], ["b", None]] * half, nbsvm.Error, "text 2 has no label"),
            ("bytes", TEXTS, [b"a", b"b"] * half, TypeError, "decode it"),
            ("a word", TEXTS, "good", TypeError, "a label for each text"),
            ("multi-hot", TEXTS, hot, nbsvm.Error, "indicator matrix"),
            ("multi-hot bool", TEXTS, [[True, False], [False, True]] * half, nbsvm.Error, "indicator matrix"),
            ("multi-hot float", TEXTS, np.array(hot, float), nbsvm.Error, "indicator matrix"),
            ("texts alone", TEXTS, None, FileNotFoundError, "pass the labels"),
            ("array alone", np.array(TEXTS), None, FileNotFoundError, "pass the labels"),
            ("pairs", list(zip(TEXTS, LABELS)), None, TypeError, "zip(*data)"),
            ("dict", {"text": TEXTS, "label": LABELS}, None, TypeError, "table['text']"),
            ("matrix", identity, LABELS, TypeError, "dump_svmlight_file"),
            ("column of texts", np.array(TEXTS).reshape(-1, 1), LABELS, TypeError, "data[:, 0]"),
            ("str and int", TEXTS, ["a", 1] * half, nbsvm.Error, "that of text 1 is 'a' (str), that of text 2 is 1 (int)"),
            ("'1' and 1", TEXTS, ["1", 1] * half, nbsvm.Error, "make them one type, for instance with str()"),
            ("bool and int", TEXTS, [True, 1] * half, nbsvm.Error, "labels have several types"),
            ("mixed lists", TEXTS, [["a"], ["b", 1]] * half, nbsvm.Error, "that of text 2 is 1 (int)"),
            ("with and without prefix", TEXTS, ["a", "__label__a"] * half, nbsvm.Error, "prefix='' keeps labels as they are"),
            ("set of labels", TEXTS, set(LABELS), TypeError, "in the order of the texts"),
            ("set of texts", set(TEXTS), LABELS[: len(set(TEXTS))], TypeError, "got set"),
            ("label alone", TEXTS, np.array("good"), TypeError, "a label for each text"),
            ("text alone", "text", ["a", "b", "c", "d"], TypeError, "not a single text"),
            ("no dimension", np.array("text"), LABELS, TypeError, "one dimension"),
            ("words", [text.split() for text in TEXTS], LABELS, TypeError, "' '.join(text)"),
            ("paths", [Path(text) for text in TEXTS], LABELS, TypeError, "read the file first"),
            ("number", 5, None, TypeError, "got 5"),
        ]:
            with self.subTest(name), self.assertRaisesRegex(error, re.escape(text)):
                nbsvm.train(data, labels)
        with open(__file__) as file, self.assertRaisesRegex(TypeError, "pass its path"):
            nbsvm.train(file)
        with self.assertRaisesRegex(nbsvm.Error, "all of sample_weight is 0"):
            nbsvm.train(TEXTS, LABELS, sample_weight=[0] * len(TEXTS))
        with self.assertRaisesRegex(nbsvm.Error, "a number for each text"):
            nbsvm.train(TEXTS, LABELS, sample_weight=["x"] * len(TEXTS))
        with self.assertRaisesRegex(TypeError, "class_weight"):
            nbsvm.train(TEXTS, LABELS, class_weight=2)

    def test_sparse(self):
        try:
            import scipy.sparse
        except ImportError:
            self.skipTest("no scipy here (Debian: python3-scipy)")
        for labels in (LABELS, None):
            with self.assertRaisesRegex(TypeError, "dump_svmlight_file"):
                nbsvm.train(scipy.sparse.csr_matrix(np.eye(len(TEXTS))), labels)
        with self.assertRaisesRegex(nbsvm.Error, "indicator matrix"):
            nbsvm.train(TEXTS, scipy.sparse.csr_matrix([[1, 0], [0, 1]] * (len(TEXTS) // 2)))

    def test_words_alone(self):
        """N-grams of words alone, where the default would take characters, too."""
        texts, labels = TEXTS * 20, LABELS * 20
        with self.assertWarnsRegex(UserWarning, "ngrams word:1-2,char-wb:2-5"):
            nbsvm.train(texts, labels, ngrams=(1, 2))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            nbsvm.train(texts, labels)
            nbsvm.train(texts, labels, ngrams="word:1-2")
            nbsvm.train(TEXTS, LABELS, ngrams=(1, 2))


class Predicting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = trained()

    def test_one_text(self):
        labels, scores = self.model.predict("a lovely film")
        self.assertEqual(labels, ("__label__good",))
        self.assertEqual((scores.dtype, scores.shape), (np.float64, (1,)))
        self.assertGreater(scores[0], 0.5)
        labels, scores = self.model.predict("a lovely film", k=-1)
        self.assertEqual(labels, ("__label__good", "__label__bad"))
        self.assertAlmostEqual(scores.sum(), 1)
        self.assertEqual(self.model.predict("a lovely film", k=9)[0], labels)
        labels, scores = self.model.predict("a lovely film", k=2, threshold=0.5)
        self.assertEqual((labels, len(scores)), (("__label__good",), 1))
        labels, scores = self.model.predict("a lovely film", threshold=1.5)
        self.assertEqual((labels, scores.shape), ((), (0,)))

    def test_list(self):
        texts = ["a lovely film", "boring", ""]
        labels, scores = self.model.predict(texts)
        self.assertEqual(labels[:2], [["__label__good"], ["__label__bad"]])
        self.assertIsInstance(scores, list)
        self.assertEqual((scores[0].dtype, scores[0].shape), (np.float64, (1,)))
        for k in (1, 2, -1):
            for threshold in (0.0, 0.4, 0.6, 2):
                labels, scores = self.model.predict(texts, k=k, threshold=threshold)
                for text, some, values in zip(texts, labels, scores):
                    one = self.model.predict(text, k=k, threshold=threshold)
                    self.assertEqual(tuple(some), one[0])
                    np.testing.assert_array_equal(values, one[1])
        self.assertEqual(self.model.predict([]), ([], []))
        self.assertEqual(self.model.predict(tuple(texts))[0], self.model.predict(texts)[0])
        self.assertEqual(self.model.predict(np.array(texts))[0], self.model.predict(texts)[0])

    def test_scores(self):
        texts = TEXTS + ["", "unknown words"]
        scores = self.model.scores(texts)
        self.assertEqual((scores.dtype, scores.shape), (np.float64, (len(texts), 2)))
        np.testing.assert_array_equal(scores, self.model.scores(texts, threads=1))
        for text, row in zip(texts, scores):
            np.testing.assert_array_equal(np.sort(row)[::-1], self.model.predict(text, k=2)[1])
        self.assertEqual(self.model.scores([]).shape, (0, 2))

    def test_parts(self):
        """Large lists are handed over in parts."""
        before, _texts._PART = _texts._PART, 50
        try:
            self.assertGreater(len(list(_texts.parts(TEXTS))), 5)
            parts = self.model.scores(TEXTS), self.model.predict(TEXTS)[0], self.model.decide(TEXTS)
        finally:
            _texts._PART = before
        np.testing.assert_array_equal(parts[0], self.model.scores(TEXTS))
        self.assertEqual(parts[1:], (self.model.predict(TEXTS)[0], self.model.decide(TEXTS)))

    def test_any_text(self):
        for text in ("", "\0", "a\nb\r\n", "\ud800 lovely", "日本語", "x" * 1_000_000, b"\xff\xfe lovely", "lovely \U0001f600"):
            one, many = self.model.predict(text), self.model.predict([text, text])
            self.assertEqual([list(one[0])] * 2, many[0])
        self.assertEqual(self.model.predict("\ud800 lovely")[0], ("__label__good",))
        for wrong in (3, None, [3], [None], {"a": 1}.values):
            with self.assertRaises(TypeError):
                self.model.predict(wrong)
        for k in (0, -2):
            with self.assertRaises(ValueError):
                self.model.predict("a", k=k)
            with self.assertRaises(ValueError):
                self.model.predict(["a"], k=k)
        with self.assertRaises(TypeError):
            self.model.scores("one text")

    def test_margins(self):
        model = trained(loss="squared-hinge", prefix="")
        self.assertFalse(model.probabilities)
        labels, scores = model.predict("lovely", k=2)
        self.assertEqual(labels, ("good", "bad"))
        self.assertEqual(scores[0], -scores[1])

    def test_many_labels(self):
        texts = ["sail and mast", "flour and oven", "sail and flour", "nothing at all"] * 6
        labels = [["sea"], ["kitchen"], ["sea", "kitchen"], []] * 6
        model = nbsvm.train(texts, labels, prefix="")
        self.assertTrue(model.multi_label)
        self.assertEqual(model.labels, ["kitchen", "sea"])
        self.assertEqual(model.decide(["a sail", "sail and flour", "nothing at all"]), [["sea"], ["kitchen", "sea"], []])
        self.assertEqual(model.evaluate(texts, labels).micro_f1, 1)

    def test_shares(self) -> None:
        texts = ["a lovely film", "dull and tiresome", "a lovely dull film"]
        soft = nbsvm.train(texts, ["good", {"bad": 1}, {"good": 0.75, "bad": 0.25}], min_df=1)
        copies = nbsvm.train(
            [*texts, texts[2]], ["good", "bad", "good", "bad"], sample_weight=[1, 1, 0.75, 0.25], min_df=1
        )
        np.testing.assert_array_equal(soft.scores(texts), copies.scores(texts))
        self.assertEqual(soft.evaluate(texts, ["good", "bad", {"good": 0.75, "bad": 0.25}]).n, 3)
        for labels, want in (
            (["good", "bad", {"good": 2}], "text 3 has {'good': 2}: a dict must have a share from 0 to 1 for each label"),
            (["good", "bad", {"good": 0.5, "bad": 0.3}], "add up to 0.8, not to 1"),
            (["good", "bad", {}], "text 3 has no label"),
        ):
            with self.assertRaisesRegex(nbsvm.Error, want):
                nbsvm.train(texts, labels, min_df=1)

    def test_threads(self):
        want = self.model.predict(TEXTS, k=2)
        wrong = []

        def work():
            for _ in range(50):
                for text in TEXTS[:8]:
                    self.model.predict(text)
                if self.model.predict(TEXTS, k=2)[0] != want[0]:
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_explain(self):
        e = self.model.explain("a lovely film", top=2)
        self.assertEqual((e["label"], e["contributions"][0]["name"], len(e["contributions"])), ("good", "lovely", 2))
        total = e["bias"] + e["others_margin"] + sum(c["margin"] for c in e["contributions"])
        self.assertAlmostEqual(total, e["margin"])
        self.assertEqual([c["label"] for c in self.model.explain(top=1)], ["bad", "good"])

    def test_quantize(self):
        model = nbsvm.train(TEXTS, LABELS, model="mnb", prefix="")
        small = model.quantize()
        self.assertEqual((small.labels, small.predict(GOOD)[0]), (["bad", "good"], model.predict(GOOD)[0]))
        with self.assertRaisesRegex(nbsvm.Error, "already have 8 bits"):
            small.quantize()

    def test_ready_made_features(self):
        model = nbsvm.train(["1:1 2:1", "2:1 3:1", "1:2", "3:1"], ["a", "b", "a", "b"], format="svmlight", prefix="")
        self.assertTrue(model.takes_features)
        self.assertEqual(model.predict("3:1")[0], ("b",))
        with self.assertRaisesRegex(nbsvm.Error, "text 2"):
            model.predict(["1:1", "words"])
        with self.assertRaises(nbsvm.Error):
            model.explain("1:1")


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_save_and_load(self):
        model = trained()
        path = self.folder / "reviews.nbm"
        model.save(path)
        self.assertEqual(path.read_bytes(), model.to_bytes())
        want = model.scores(TEXTS)
        copies = (nbsvm.load(path), nbsvm.load(str(path)), nbsvm.load(path.read_bytes()), pickle.loads(pickle.dumps(model)))
        for copy in copies:
            np.testing.assert_array_equal(copy.scores(TEXTS), want)
            self.assertEqual(copy.labels, model.labels)
        self.assertEqual(nbsvm.load(path, prefix="").labels, ["bad", "good"])
        self.assertEqual(pickle.loads(pickle.dumps(nbsvm.load(path, prefix="x"))).labels, ["xbad", "xgood"])

    def test_from_model(self):
        old = trained(min_df=1, loss="squared-hinge")
        new = nbsvm.train(["a purring cat", "the cat purrs"] * 9, ["cat"] * 18, from_model=old)
        self.assertEqual(new.labels, ["__label__bad", "__label__cat", "__label__good"])
        self.assertEqual(new.made["earlier"], len(TEXTS))
        for text, label in (("the cat purrs", "cat"), ("lovely", "good"), ("boring", "bad")):
            self.assertEqual(new.predict(text)[0], ("__label__" + label,))
        self.assertEqual(old.labels, ["__label__bad", "__label__good"])
        with self.assertRaisesRegex(nbsvm.Error, "has n-grams word:1-2, not word:1-3"):
            nbsvm.train(TEXTS, LABELS, from_model=old, ngrams=(1, 3))

    def test_training_files(self):
        """A file, the same texts in memory, and labels with fastText's prefix make the same model."""
        lines = "".join(f"{label}\t{text}\n" for label, text in zip(LABELS, TEXTS))
        fasttext = "".join(f"__label__{label} {text}\n" for label, text in zip(LABELS, TEXTS))
        (self.folder / "reviews.tsv").write_text(lines)
        (self.folder / "reviews.ft").write_text(fasttext)
        options = {"loss": "logistic", "C": 2, "ngrams": (1, 1), "threads": 1}
        want = nbsvm.train(TEXTS, LABELS, **options).scores(TEXTS)
        models = (
            nbsvm.train(self.folder / "reviews.tsv", **options),
            nbsvm.train([str(self.folder / "reviews.ft")], **options),
            nbsvm.train(self.folder / "reviews.tsv", format="tsv", label_field="1", text_field="2", **options),
            nbsvm.train(TEXTS, ["__label__" + label for label in LABELS], **options),
            nbsvm.train(np.array(TEXTS), np.array(LABELS), **options),
        )
        for model in models:
            np.testing.assert_array_equal(model.scores(TEXTS), want)
            self.assertEqual(model.labels, ["__label__bad", "__label__good"])
        self.assertEqual(models[0].evaluate(self.folder / "reviews.tsv").accuracy, 1)
        self.assertEqual(models[0].evaluate(TEXTS, models[0].predict(TEXTS)[0] and LABELS).accuracy, 1)
        made = models[0].made
        self.assertEqual((made["documents"], made["options"]["C"], made["options"]["text"]["families"]), (32, 2, ["word:1-1"]))

    def test_classes(self):
        """Files of one class each make the model of their texts with labels, also beside labelled files."""
        good, bad = self.folder / "good.jsonl", self.folder / "bad.txt"
        good.write_text("".join(json.dumps({"text": text, "label": "other"}) + "\n" for text in GOOD * 4))
        bad.write_text("".join(text + "\n" for text in BAD))
        more = self.folder / "more.tsv"
        more.write_text("".join(f"bad\t{text}\n" for text in BAD * 3))
        options = {"C": 2, "threads": 1}
        want = nbsvm.train(BAD * 3 + GOOD * 4 + BAD, ["bad"] * 12 + ["good"] * 16 + ["bad"] * 4, **options).scores(TEXTS)
        model = nbsvm.train(more, classes={"good": good, "__label__bad": [str(bad)]}, **options)
        np.testing.assert_array_equal(model.scores(TEXTS), want)
        alone = nbsvm.train(classes={"good": [good], "bad": bad}, **options)
        self.assertEqual(alone.evaluate(classes={"good": good, "bad": bad}).accuracy, 1)
        self.assertEqual(alone.labels, ["__label__bad", "__label__good"])
        for error, pattern, wrong in (
            (TypeError, "a dict of paths by label", {"classes": [good]}),
            (TypeError, "a dict of paths by label", {"classes": {}}),
            (TypeError, "pass either", {"labels": LABELS, "classes": {"good": good}}),
            (TypeError, "must be a str or an int", {"classes": {2.5: good}}),
            (FileNotFoundError, "no such file", {"classes": {"good": good, "bad": self.folder / "none.txt"}}),
            (nbsvm.Error, "empty", {"classes": {" ": good, "bad": bad}}),
            (TypeError, "data must be paths", {}),
        ):
            with self.subTest(pattern), self.assertRaisesRegex(error, pattern):
                nbsvm.train(**wrong)

    def test_errors(self):
        (self.folder / "broken.nbm").write_bytes(trained().to_bytes()[:-7])
        with self.assertRaises(FileNotFoundError):
            nbsvm.load(self.folder / "missing.nbm")
        with self.assertRaises(FileNotFoundError):
            nbsvm.train(self.folder / "missing.tsv")
        for wrong in (self.folder / "broken.nbm", self.folder, b"", b"no model"):
            with self.assertRaises(nbsvm.Error):
                nbsvm.load(wrong)
        with self.assertRaises(OSError):
            trained().save(self.folder / "no" / "folder.nbm")
        with self.assertRaises(FileNotFoundError) as caught:
            nbsvm.load(self.folder / "missing.nbm")
        self.assertEqual((caught.exception.errno, caught.exception.filename), (errno.ENOENT, str(self.folder / "missing.nbm")))
        with self.assertRaisesRegex(ValueError, "null character"):
            nbsvm.load("a\0b")
        with self.assertRaisesRegex(nbsvm.Error, "as a str"):
            nbsvm.load(os.fsencode(self.folder / "broken.nbm"))
        with self.assertRaisesRegex(AttributeError, "nbsvm.train"):
            nbsvm.train_supervised
        with self.assertRaisesRegex(AttributeError, "get_word_vector"):
            trained().get_word_vector
        for arguments, error in (
            ({"C": -1}, nbsvm.Error),
            ({"model": "forest"}, nbsvm.Error),
            ({"preset": "none"}, nbsvm.Error),
            ({"ngrams": "two"}, nbsvm.Error),
            ({"ngrams": "word:1-2,word:3-3"}, nbsvm.Error),
            ({"C": "two"}, nbsvm.Error),
            ({"height": 3}, TypeError),
            ({"depth": 3}, nbsvm.Error),
            ({"model": "gbdt", "rate": -1}, nbsvm.Error),
            ({"sample_weight": [1]}, nbsvm.Error),
            ({"model": "svm", "alpha": 1}, nbsvm.Error),
            ({"neighbours": 5}, nbsvm.Error),
            ({"hold_out": 0.1}, nbsvm.Error),
            ({"C": float("nan")}, nbsvm.Error),
            ({"C": object()}, TypeError),
        ):
            with self.subTest(arguments), self.assertRaises(error):
                nbsvm.train(TEXTS, LABELS, **arguments)
        with self.assertRaises(nbsvm.Error):
            nbsvm.train(TEXTS, LABELS[:-1])
        with self.assertRaises(nbsvm.Error):
            nbsvm.train(TEXTS, ["one"] * len(TEXTS))
        with self.assertRaises(nbsvm.Error):
            nbsvm.train([], [])
        with self.assertRaises(TypeError):
            nbsvm.train(TEXTS, [1.5] * len(TEXTS))
        with self.assertRaisesRegex(nbsvm.Error, "(?<!-)alpha has no effect on model svm"):
            nbsvm.train(TEXTS, LABELS, model="svm", alpha=1)
        with self.assertRaisesRegex(TypeError, "unknown option 'calibrat'; did you mean 'calibrate'"):
            nbsvm.train(TEXTS, LABELS, calibrat=True)
        with self.assertRaisesRegex(TypeError, "time must be a number of seconds"):
            nbsvm.tune(TEXTS, LABELS, time="5s")
        with self.assertRaisesRegex(nbsvm.Error, "(?<!-)C must be from .* got \"two\""):
            nbsvm.train(TEXTS, LABELS, C="two")
        self.assertEqual(nbsvm.train(TEXTS, LABELS, C=np.float32(2)).made["options"]["C"], 2)

    def test_told(self):
        """What the command prints beside its results becomes a warning about the user's line, or the error."""
        model, lines = trained(), [f"{label}\t{text}\n" for label, text in zip(LABELS, TEXTS)]
        lost, chinese = "\ufffd" * 20, "好电影很精彩演员出色".encode("gbk")
        for folder in ("dir/good", "dir/bad"):
            (self.folder / folder).mkdir(parents=True)
        for k, (label, text) in enumerate(zip(LABELS, TEXTS)):
            (self.folder / "dir" / label / f"{k}.txt").write_text(text)
        for name, data in {
            "whole.tsv": "".join(lines).encode(),
            "header.tsv": ("label\ttext\n" + "".join(lines)).encode(),
            "bad.tsv": ("".join(lines) + "no label\n").encode(),
            "latin.tsv": "".join(lines).replace("a ", "größer ").encode("latin-1"),
            "wide.tsv": "".join(lines).encode("utf-16"),
            "gbk.tsv": b"".join(line.encode() + chinese + b"\n" for line in ("good\t", "bad\t") * 9),
            "lost.tsv": "".join(f"{label}\t{lost}\n" for label in LABELS).encode(),
            "points.dat": b"0 1:1 2:1\n1 3:1 4:1\n0 1:1 2:2\n1 3:1 5:1\n",
        }.items():
            (self.folder / name).write_bytes(data)
        for what, reading, warning in [
            ("whole.tsv", {}, None),
            ("header.tsv", {}, r"is no record \(--no-header of the command if it is one\)"),
            ("bad.tsv", {"skip_bad": True}, "1 bad record skipped: 1 wrong columns\nbad record: .*bad.tsv:33"),
            ("latin.tsv", {}, "bytes of text are not valid UTF-8"),
            (["whole.tsv", "whole.tsv"], {}, "is given twice"),
        ]:
            paths = [str(self.folder / name) for name in ([what] if isinstance(what, str) else what)]
            for do in (nbsvm.train, model.evaluate):
                with self.subTest(what, do=do), warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    result = do(paths, **reading)
                    self.assertEqual(len(told), warning is not None, told)
                    for warned in told:
                        self.assertRegex(str(warned.message), "^nbsvm: .*" + warning)
                        self.assertEqual((warned.category, warned.filename), (UserWarning, __file__))
                    if what == "bad.tsv":
                        found = result.made if do == nbsvm.train else result
                        self.assertEqual((found["bad"], found["bad_reasons"]), (1, {"wrong columns": 1}))
                    elif do != nbsvm.train:
                        self.assertGreater(result.accuracy, 0.9)
        with self.assertWarnsRegex(UserWarning, "read as svmlight"):
            self.assertTrue(nbsvm.train(self.folder / "points.dat").takes_features)
        with self.assertWarnsRegex(UserWarning, "labels that the model does not know.*fair"):
            model.evaluate(TEXTS, LABELS[1:] + ["fair"])
        with self.assertWarnsRegex(UserWarning, "before they converged: .* raise max_epochs or lower C$"):
            nbsvm.train(TEXTS, LABELS, max_epochs=1, tol=1e-12, min_df=1)
        with self.assertWarnsRegex(UserWarning, "differ only by case"):
            nbsvm.train(TEXTS, ["Good", *LABELS[1:]], min_df=1)
        with warnings.catch_warnings(), self.assertRaisesRegex(UserWarning, "is given twice"):
            warnings.simplefilter("error")
            nbsvm.train([str(self.folder / "whole.tsv")] * 2)
        for data, labels, error in [
            (self.folder / "dir", None, "is a folder: name the files in it"),
            (self.folder / "wide.tsv", None, "is UTF-16: convert it first"),
            (self.folder / "gbk.tsv", None, "gbk.tsv: is not UTF-8.* find its encoding"),
            (self.folder / "lost.tsv", None, "has lost most of its letters"),
            (self.folder / "bad.tsv", None, "skip_bad=True leaves such records out"),
            ([lost] * len(LABELS), LABELS, "are no valid UTF-8"),
            ([chinese] * len(LABELS), LABELS, "are no valid UTF-8"),
        ]:
            for do in (nbsvm.train, model.evaluate):
                with self.subTest(error, do=do), self.assertRaisesRegex(nbsvm.Error, error):
                    do(data, labels)
        for texts in ([lost], [chinese] * 3, ["a film", lost]):
            for do in (model.predict, model.scores, model.decide):
                with self.subTest(texts, do=do), self.assertRaisesRegex(nbsvm.Error, "are no valid UTF-8"):
                    do(texts)

    def test_hierarchy(self):
        labels = [("film/" + label) if label == "good" else "dull" for label in LABELS]
        model = nbsvm.train(TEXTS, labels, hierarchy="/")
        self.assertEqual(model.labels, ["__label__dull", "__label__film", "__label__film/good"])
        found, scores = model.predict("a lovely film", k=2)
        self.assertEqual(found, ("__label__film/good", "__label__dull"))
        self.assertAlmostEqual(sum(scores), 1)
        self.assertEqual(model.made["options"]["hierarchy"], "/")

    def test_wrong_arguments(self):
        model = trained()
        for arguments in ({"k": "1"}, {"k": 1.5}, {"threshold": "0.5"}, {"threshold": None}):
            for texts in ("a film", ["a film"]):
                with self.subTest(arguments), self.assertRaises(TypeError):
                    model.predict(texts, **arguments)
        self.assertEqual(model.predict("a lovely film", k=np.int64(1), threshold=np.float32(0.1))[0], ("__label__good",))
        with self.assertRaisesRegex(TypeError, "text 2 is None.*missing"):
            model.predict(["a", None])
        for texts, error in (
            ({"a": 1}, "got dict"), ({"a"}, "got set"), (3, "got int"), (np.array([["a"]]), "data[:, 0]"), (bytearray(b"a"), "got bytearray"),
            (np.eye(2), "pass texts"), ([["a"]], "' '.join"), (np.array("a"), "one dimension"),
        ):  # fmt: skip
            with self.subTest(texts=texts), self.assertRaisesRegex(TypeError, "nbsvm: .*" + re.escape(error)):
                model.predict(texts)
        self.assertEqual(model.predict(dict.fromkeys(TEXTS[:8]).keys())[0], model.predict(TEXTS[:8])[0])
        for do in (nbsvm.load, model.save):
            with self.assertRaisesRegex(TypeError, "^nbsvm: .*got None"):
                do(None)
        with self.assertRaisesRegex(nbsvm.Error, "top must be 0 or more, got -1"):
            model.explain("a film", top=-1)

    def test_options(self):
        for options in (
            {"preset": "sentiment"}, {"ngrams": "char"}, {"ngrams": "char:1-3"},
            {"ngrams": "word:1-2,char-wb:2-4"}, {"ngrams": "word,char-wb"}, {"model": "mnb"},
            {"class_weight": "balanced"}, {"class_weight": {"good": 2}}, {"beta": "auto"}, {"beta": 0.5},
            {"values": "log-tfidf"}, {"ngrams": "auto", "seed": 3, "bits": 16},
        ):  # fmt: skip
            with self.subTest(options):
                self.assertEqual(nbsvm.train(TEXTS, LABELS, **options).evaluate(TEXTS, LABELS).accuracy, 1)
        kinds = get_args(get_type_hints(Options)["model"])
        with self.assertRaisesRegex(nbsvm.Error, re.escape(f"use one of [{' '.join(kinds)}]")):
            nbsvm.train(TEXTS, LABELS, model="x")

    def test_weights(self):
        """A weight of 0 is no document, and one of 2 is two documents."""
        weights = np.array([0, 1, 2, 1] * 8)
        texts = [text for text, weight in zip(TEXTS, weights) for _ in range(weight)]
        labels = [label for label, weight in zip(LABELS, weights) for _ in range(weight)]
        options = {"min_df": 1, "model": "svm", "tol": 1e-9}
        a = nbsvm.train(TEXTS, LABELS, sample_weight=weights, **options).scores(TEXTS)
        np.testing.assert_allclose(a, nbsvm.train(texts, labels, **options).scores(TEXTS), rtol=1e-3, atol=1e-4)

    def test_tune(self):
        lines = []
        found = nbsvm.tune(TEXTS, LABELS, trials=4, folds=2, progress=lines.append)
        self.assertEqual(found.model.evaluate(TEXTS, LABELS).accuracy, 1)
        self.assertEqual((found.metric, len(found.trials)), ("accuracy", 4))
        self.assertTrue(found.why)
        counted = nbsvm.tune(TEXTS, LABELS, trials=4, folds=2, models=["cnb", "mnb"])
        self.assertIn(counted.options["model"], ("cnb", "mnb"))
        with self.assertRaisesRegex(nbsvm.Error, 'unknown model "forest"'):
            nbsvm.tune(TEXTS, LABELS, trials=4, models=["forest"])
        again = nbsvm.tune(TEXTS, LABELS, trials=4, folds=2)
        self.assertEqual((again.flags, again.options), (found.flags, found.options))

    def test_close(self):
        """A closed model gives an error, and calls that were under way end as they would have."""
        path = self.folder / "reviews.nbm"
        trained().save(path)
        many = TEXTS * 2000
        for open_model in (trained, lambda: nbsvm.load(path), lambda: nbsvm.load(path.read_bytes())):
            with open_model() as model:
                want = model.scores(many)
                begun, results = threading.Event(), []

                def score(model=model, begun=begun, results=results):
                    for n in range(100):
                        try:
                            results.append(model.scores(many))
                        except nbsvm.Error as e:
                            results.append(str(e))
                            return
                        if n == 1:
                            begun.set()

                threads = [threading.Thread(target=score) for _ in range(2)]
                for thread in threads:
                    thread.start()
                begun.wait(60)
            for thread in threads:
                thread.join()
            refused = [r for r in results if isinstance(r, str)]
            self.assertEqual(refused, ["nbsvm: the model is closed; load it again"] * 2)
            for scores in results:
                if not isinstance(scores, str):
                    np.testing.assert_array_equal(scores, want)
            model.close()
            for use in (
                lambda: model.predict("a film"), lambda: model.scores(["a"]), model.explain, model.to_bytes,
                lambda: model.evaluate(TEXTS, LABELS), lambda: model.save(path), lambda: pickle.dumps(model),
            ):  # fmt: skip
                with self.assertRaisesRegex(nbsvm.Error, "closed"):
                    use()
            self.assertEqual(model.labels, ["__label__bad", "__label__good"])


class Numbers(unittest.TestCase):
    """Models that predict a number in place of a class."""

    NUMBERS = [5, 4.5, 4.25, 4, 0, 1, 1.5, 0.25] * 4

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name, "rated.jsonl")
        self.write(self.NUMBERS)

    def write(self, numbers):
        self.file.write_text("".join(json.dumps({"text": t, "edu": x}) + "\n" for t, x in zip(TEXTS, numbers)))

    def test_input(self):
        """Numbers in memory, of every type, and those of a file make the same model."""
        svr = {"model": "svr", "loss": "epsilon-insensitive", "epsilon": 0.1}
        for options in ({}, svr, {"model": "ridge", "clip": False}, {"model": "ordinal"}, {"range": (-0.5, 6)}):
            with self.subTest(options):
                want = nbsvm.train(self.file, target="edu", **options).scores(TEXTS)
                memory = {"model": "nbsvr", **options}
                for y in (
                    self.NUMBERS, np.array(self.NUMBERS), np.array(self.NUMBERS, np.float32), iter(self.NUMBERS),
                    np.array(self.NUMBERS).reshape(-1, 1), list(np.array(self.NUMBERS)), np.array(self.NUMBERS, object),
                ):  # fmt: skip
                    np.testing.assert_array_equal(nbsvm.train(TEXTS, y, **memory).scores(TEXTS), want)
        whole = np.round(self.NUMBERS)
        want = nbsvm.train(TEXTS, whole, model="nbsvr").scores(TEXTS)
        np.testing.assert_array_equal(nbsvm.train(TEXTS, whole.astype(int), target="edu").scores(TEXTS), want)
        # The mean of several raters' numbers counts, and a minus sign is no prefix.
        self.write([[-x, -x - 1] for x in self.NUMBERS])
        memory = nbsvm.train(TEXTS, [-x - 0.5 for x in self.NUMBERS], model="nbsvr", prefix="-")
        of_file = nbsvm.train(self.file, target="edu")
        np.testing.assert_array_equal(of_file.scores(TEXTS), memory.scores(TEXTS))
        several = [[-x, -x - 1] for x in self.NUMBERS]
        for y in (several, [tuple(x) for x in several], np.array(several)):
            memory = nbsvm.train(TEXTS, y, model="nbsvr")
            np.testing.assert_array_equal(of_file.scores(TEXTS), memory.scores(TEXTS))
            self.assertEqual(memory.evaluate(TEXTS, y), of_file.evaluate(self.file))

    def test_predict(self):
        model = nbsvm.train(TEXTS, self.NUMBERS, model="nbsvr")
        self.assertEqual((model.numbers, model.probabilities, model.labels), (True, False, ["score"]))
        self.assertFalse(trained().numbers)
        self.assertEqual(repr(model), "<nbsvm.Model nbsvr of numbers>")
        scores = model.scores(TEXTS)
        self.assertEqual(scores.shape, (len(TEXTS), 1))
        for k in (1, 5, -1):
            label, score = model.predict(TEXTS[0], k=k)
            self.assertEqual((label, score), (("score",), scores[0]))
            self.assertEqual(model.predict(TEXTS, k=k), ([["score"]] * len(TEXTS), list(scores)))
        self.assertEqual(model.predict(TEXTS[4], threshold=scores[4, 0] + 0.01)[0], ())
        low = nbsvm.train(TEXTS, [x - 9 for x in self.NUMBERS], model="nbsvr")
        self.assertLess(low.predict(TEXTS[0])[1], -3)  # a threshold of 0 leaves nothing out
        self.assertEqual(nbsvm.load(model.to_bytes(), prefix="x").labels, ["xscore"])
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).scores(TEXTS), scores)
        told = model.explain(TEXTS[0])
        self.assertEqual((told["label"], told["score"]), ("score", scores[0, 0]))

    def test_evaluate(self):
        model = nbsvm.train(self.file, target="edu")
        texts, y = GOOD + BAD + ["a film"], np.array([4, 5, 3, 5, 0, 2, 1, 3, 2.5])
        told, got = model.evaluate(texts, y, cut=3), model.scores(texts)[:, 0]
        self.assertEqual(told.n, len(y))
        self.assertAlmostEqual(told.mae, np.abs(y - got).mean())
        self.assertAlmostEqual(told.r2, 1 - ((y - got) ** 2).sum() / ((y - y.mean()) ** 2).sum())
        self.assertAlmostEqual(told.pearson, np.corrcoef(y, got)[0, 1])
        [cut] = told.cuts
        self.assertEqual((cut["threshold"], cut["positives"]), (3, (y >= 3).sum()))
        self.assertEqual([cut["threshold"] for cut in model.evaluate(texts, y, cut=(1, 2.5)).cuts], [1, 2.5])
        self.assertEqual(model.evaluate(self.file), model.evaluate(TEXTS, self.NUMBERS))

    def test_weights(self):
        """A weight of k is k copies, and one of 0 is no document."""
        weights = [1, 3, 2, 0, 1, 1, 4, 2] * 4
        copies = [k for k, weight in enumerate(weights) for _ in range(weight)]
        for model in ("nbsvr", "svr", "ridge", "ordinal"):
            options = {"model": model, "tol": 1e-7, "min_df": 1, "ngrams": (1, 1)}
            weighted = nbsvm.train(TEXTS, self.NUMBERS, sample_weight=weights, **options).scores(TEXTS)
            copied = nbsvm.train([TEXTS[k] for k in copies], [self.NUMBERS[k] for k in copies], **options).scores(TEXTS)
            np.testing.assert_allclose(weighted, copied, atol=1e-3)
            self.assertGreater(np.abs(weighted - nbsvm.train(TEXTS, self.NUMBERS, **options).scores(TEXTS)).max(), 0.01)

    def test_tune(self):
        for arguments, models in (({"model": "nbsvr"}, {"nbsvr"}), ({"models": ["ridge", "svr"]}, {"ridge", "svr"})):
            found = nbsvm.tune(TEXTS, self.NUMBERS, trials=2, folds=2, **arguments)
            self.assertEqual((found.model.labels, found.metric), (["score"], "r2"))
            self.assertIn(found.options["model"], models)
        found = nbsvm.tune(self.file, target="edu", trials=1, folds=2, metric="spearman")
        self.assertEqual((found.options["model"], found.metric), ("nbsvr", "spearman"))

    def test_refused(self):
        half, rest = len(TEXTS) // 2, self.NUMBERS[1:]
        for y, error in (
            ([None, *rest], "text 1 has no number, but None; leave the text out"),
            ([*rest, float("nan")], "text 32 has no number"), ([1j, *rest], "type complex"),
            ([math.inf, *rest], "must be a number from -1e.30 to 1e.30"), ([10**400, *rest], "must be a number from"),
            (["4", *rest], "text 1 has '4' of type str in place of a number: convert it"),
            ([[[3], 4], [4, 4]] * half, "text 1 has .3. of type list in place of a number: pass their mean"),
            ([[], *rest], "text 1 has no number, but .."), ([[1, None], *rest], "text 1 has no number, but None"),
            ([2] * len(TEXTS), "all documents .32. have the number 2"), (rest, "32 texts and 31 labels"),
        ):  # fmt: skip
            with self.subTest(y=str(y)[:30]), self.assertRaisesRegex(nbsvm.Error, error):
                nbsvm.train(TEXTS, y, model="nbsvr")
        classes = trained()
        for call, error in (
            (lambda: nbsvm.train(self.file, target="edu", label_field="edu"), "target and label_field both name"),
            (lambda: nbsvm.train(self.file, target="edu", model="svm"), r"to be numbers \(target\), and model svm"),
            (lambda: nbsvm.train(TEXTS, self.NUMBERS, model="ridge", epsilon=1), "epsilon has no effect on model"),
            (lambda: nbsvm.train(TEXTS, self.NUMBERS, model="nbsvr", range=(0, 1, 2)), "range must be two numbers"),
            (lambda: nbsvm.train(TEXTS, self.NUMBERS, model="nbsvr", range=(1, 5)), "a target must be a number from 1"),
            (lambda: nbsvm.tune(self.file, target="edu", trials=1, range=(1, 5)), "a target must be a number from 1 to 5"),
            (lambda: nbsvm.train(self.file, target="edu", range="1,5"), "rated.jsonl:.*, or give another range;"),
            (lambda: classes.evaluate(self.file, target="edu"), "labels are to be numbers"),
            (lambda: classes.evaluate(TEXTS, LABELS, cut=3), "cut is for models of numbers"),
        ):
            with self.assertRaisesRegex(nbsvm.Error, error):
                call()
        with self.assertRaisesRegex(TypeError, "or train model nbsvr to predict numbers"):
            nbsvm.train(TEXTS, self.NUMBERS)

    @unittest.skipUnless(os.environ.get("NBSVM"), "NBSVM, the command, is not named")
    def test_command(self):
        """The command makes the same model, byte for byte, and predicts the same numbers."""
        for flags, options in (([], {}), (["--model", "ridge", "--C", "2"], {"model": "ridge", "C": 2})):
            path, model = self.file.with_suffix(".nbm"), nbsvm.train(self.file, target="edu", **options)
            command = [os.environ["NBSVM"], "train", "--target", "edu", *flags, self.file, "-o", path]
            subprocess.run(command, check=True, capture_output=True)
            self.assertEqual(model.to_bytes(), path.read_bytes())
            command = [os.environ["NBSVM"], "score", "--json", path, self.file]
            ran = subprocess.run(command, check=True, capture_output=True)
            told = [json.loads(line) for line in ran.stdout.splitlines()]
            np.testing.assert_array_equal([line["scores"]["score"] for line in told], model.scores(TEXTS)[:, 0])


class Arrow(unittest.TestCase):
    def test_arrays(self):
        model = trained()
        texts = ["left out", *TEXTS, "", "left out"]
        for form, offsets in ((b"u", np.int32), (b"U", np.int64), (b"z", np.int32), (b"Z", np.int64)):
            array = ArrowTexts(texts, form, offsets, 1, len(texts) - 2)
            np.testing.assert_array_equal(model.scores(array), model.scores(texts[1:-1]))
            self.assertEqual(model.predict(array)[0], model.predict(texts[1:-1])[0])
            self.assertEqual(array.released(), 0)
            del array
        listed = ArrowTexts(texts, b"vu", np.int32, 0, len(texts))
        listed.to_pylist = lambda: texts
        np.testing.assert_array_equal(model.scores(listed), model.scores(texts))

    def test_training(self):
        array = ArrowTexts(TEXTS, b"u", np.int32, 0, len(TEXTS))
        np.testing.assert_array_equal(nbsvm.train(array, LABELS).scores(TEXTS), nbsvm.train(TEXTS, LABELS).scores(TEXTS))

    def test_pyarrow(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("pyarrow is not installed")
        model = trained()
        want = model.scores(TEXTS)
        for array in (
            pyarrow.array(TEXTS), pyarrow.array(TEXTS, pyarrow.large_string()), pyarrow.array(["x", *TEXTS]).slice(1),
            pyarrow.chunked_array([TEXTS[:5], [], TEXTS[5:]]), pyarrow.array(TEXTS).dictionary_encode(),
        ):  # fmt: skip
            np.testing.assert_array_equal(model.scores(array), want)


class ArrowTexts:
    """An array with Arrow's C data interface, made by hand."""

    def __init__(self, texts, form, offsets, first, count):
        data = [text.encode() for text in texts]
        self.ends = np.cumsum([0, *map(len, data)]).astype(offsets)
        self.data = ctypes.create_string_buffer(b"".join(data))
        self.buffers = (ctypes.c_void_p * 3)(None, self.ends.ctypes.data, ctypes.addressof(self.data))
        self.schema = _arrow._Schema(format=form)
        self.array = _arrow._Array(length=count, offset=first, n_buffers=3, buffers=self.buffers)
        self.done = []

    def released(self):
        return len(self.done)

    def __arrow_c_array__(self, requested_schema=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.argtypes, new.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object
        return (
            new(ctypes.addressof(self.schema), b"arrow_schema", None),
            new(ctypes.addressof(self.array), b"arrow_array", None),
        )


def in_child(out, trains):
    try:
        if trains:
            trained()
        out.put("trained" if FORKED is None else FORKED.scores(TEXTS).tolist())
    except RuntimeError as e:
        out.put(str(e))


FORKED = None  # the model of a process that forks others


class Processes(unittest.TestCase):
    def run_python(self, code, **more):
        return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    @unittest.skipIf(signal.getsignal(signal.SIGINT) == signal.SIG_IGN, "interrupts are ignored here")
    def test_interrupt(self):
        """Ctrl-C ends a training soon, with KeyboardInterrupt."""
        code = (
            "import nbsvm, random\n"
            "r = random.Random(1)\n"
            "texts = [' '.join(f'w{r.randrange(5000)}' for _ in range(200)) for _ in range(4000)]\n"
            "labels = [f'l{r.randrange(40)}' for _ in texts]\n"
            "def begun(line):\n"
            "    if line.startswith('solve'): print('begun', flush=True)\n"
            "try:\n"
            "    nbsvm.train(texts, labels, tol=1e-12, max_epochs=100000, C=1e4, allow_many_classes=True, progress=begun)\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted'); print(nbsvm.train(['a b', 'b c'] * 3, ['x', 'y'] * 3, min_df=1).labels)\n"
        )
        process = self.run_python(code)
        self.assertEqual(process.stdout.readline(), "begun\n")
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertIn("interrupted\n['__label__x', '__label__y']", out, err)
        self.assertLess(time.monotonic() - begin, 20)

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_forked(self):
        """A forked process opens loaded models again; it can't use a model that its parent trained."""
        global FORKED
        model = trained()
        want = model.scores(TEXTS).tolist()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "reviews.nbm"
        model.save(path)
        for method, held, answer in (
            ("fork", nbsvm.load(path), want), ("fork", nbsvm.load(path.read_bytes()), want),
            ("fork", None, "trained"), ("spawn", None, "trained"), ("fork", model, "forked"),
        ):  # fmt: skip
            for trains in (False, True):
                FORKED = held
                context = multiprocessing.get_context(method)
                out = context.Queue()
                process = context.Process(target=in_child, args=(out, trains))
                process.start()
                got = out.get(timeout=60)
                process.join(60)
                FORKED = None
                self.assertEqual(process.exitcode, 0)
                self.assertIn("in a forked one", got) if answer == "forked" else self.assertEqual(got, answer)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map(nbsvm.load(path).predict, TEXTS)[0][0], model.predict(TEXTS[0])[0])

    def test_import_alone(self):
        """Importing neither loads the library nor needs scikit-learn."""
        code = "import nbsvm, sys; assert 'sklearn' not in sys.modules; print(type(nbsvm._native.lib).__name__)"
        out, err = self.run_python(code).communicate(timeout=60)
        self.assertEqual(out, "_Unloaded\n", err)

    def test_faults_are_errors(self):
        """A panic of the library is an exception: here, of a handle that there is not."""
        lib = nbsvm._native.lib
        with self.assertRaisesRegex(RuntimeError, "fault of nbsvm"):
            nbsvm._native.check(lib.nbsvm_save(12345, b"x"))
        with self.assertRaises(nbsvm.Error):
            request = json.dumps({"do": "dance"}).encode()
            nbsvm._native.check(lib.nbsvm_start(request, len(request), None, ctypes.byref(ctypes.c_size_t())))


if __name__ == "__main__":
    unittest.main()
