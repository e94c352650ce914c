"""The module fasttext of nbsvm-fasttext, beside the original, which runs in a process of its own.

The original is the module of that name of the Python that the virtual environment is of (Debian: python3-fasttext), or
of FASTTEXT_PYTHON. Without it, tests that compare are skipped.
"""

import concurrent.futures
import importlib.metadata
import json
import math
import multiprocessing
import os
import pickle
import random
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import fasttext
import nbsvm
import numpy as np
from calls import answers
from fasttext.FastText import _FastText

HERE = Path(__file__).parent
ORIGINAL = os.environ.get("FASTTEXT_PYTHON", os.path.join(sys.base_prefix, "bin", "python3"))
NEAR = 2e-5


def original(calls):
    """What the original answers; None where there is none."""
    try:
        ran = subprocess.run([ORIGINAL, HERE / "calls.py"], input=pickle.dumps(calls), capture_output=True)
    except OSError:
        return None
    if ran.returncode < 0:
        raise AssertionError(f"the original died of signal {-ran.returncode}")
    return pickle.loads(ran.stdout) if ran.returncode == 0 else None


HAS_ORIGINAL = original([]) is not None
needs_original = unittest.skipUnless(HAS_ORIGINAL, "SKIPPED: there is no module fasttext here (Debian: python3-fasttext)")

SYLLABLES = ["ba", "ke", "lü", "mo", "né", "ри", "та", "水", "ล", "x", "é", "🙂"]
ODD = [
    "", " ", "\t \v\f", "ba ke", "ba\0ke", "naïve 水水 水", "🙂🙂 \u2028 \x85 \xa0", "__label__c1 ba", "ba __label__nosuch ke",
    "ba </s> ke", "< > <> </s", "ba\rke", "\ufffd" * 300, "z" * 10_000, "水" * 3_000, "qqq zzz", "BA KE", "\x80\xff é é",
    "ba " * 5_000, " ".join(map(str, range(3_000))),
]  # fmt: skip
WORDS = ["ba", "bake", "né", "水", "水水", "</s>", "nosuch", "🙂ba", "x", "__label__c1", "a" * 40]


def sentence(rng, label, words):
    numbers = [rng.choice([int(math.exp(7 * rng.random())), 2000 + 7 * label + rng.randrange(7)]) for _ in range(words)]
    return " ".join("".join(SYLLABLES[n // 12**i % 12] for i in range(1 + int(math.log(n, 12)))) for n in numbers)


def lines(labels, documents, several=False):
    rng = random.Random(labels)
    for i in range(documents):
        label = i % labels if i < 2 * labels else rng.randrange(1 + rng.randrange(labels))
        more = f" __label__c{(label + 1) % labels}" if several and i % 3 == 0 else ""
        yield f"__label__c{label}{more} {sentence(rng, label, 4 + rng.randrange(12))}\n"


# Models that the original trains: labels, options, and how they are quantized.
MODELS = {
    "two": (2, {"dim": 8, "wordNgrams": 2, "bucket": 1000}, None),
    "wide": (2, {"dim": 12, "minn": 2, "maxn": 4, "bucket": 2000}, {"qnorm": True}),
    "tree": (20, {"dim": 6, "loss": "hs", "minn": 1, "maxn": 3, "bucket": 3000}, {"qnorm": True, "cutoff": 600, "retrain": True}),
    "many": (30, {"dim": 8, "wordNgrams": 3, "bucket": 2000}, {"cutoff": 900}),
    "any": (9, {"dim": 7, "loss": "ova"}, None),
    "hash": (3, {"dim": 7, "label": "#"}, None),
}


class Made(unittest.TestCase):
    """Tests with models that the original has trained."""

    @classmethod
    def setUpClass(cls):
        if not HAS_ORIGINAL:
            raise unittest.SkipTest("SKIPPED: there is no module fasttext here (Debian: python3-fasttext)")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, calls, cls.models = Path(folder.name), [], {}
        for name, (labels, options, quantize) in MODELS.items():
            data = cls.folder / f"{name}.ft"
            text = "".join(lines(labels, 800, several=name == "any"))
            data.write_text(text.replace("__label__", options.get("label", "__label__")))
            of = str(cls.folder / name)
            common = {"input": str(data), "thread": 1, "verbose": 0, "epoch": 10, "lr": 0.5}
            calls.append((None, "train", {**common, **options}, {"of": of, **(quantize or {})}))
            for suffix in [".bin", ".ftz"] if quantize else [".bin"]:
                cls.models[name + suffix] = of + suffix
        if original(calls) != []:
            raise AssertionError("the original trains no models")
        rng = random.Random(7)
        cls.texts = ODD + [sentence(rng, rng.randrange(20), rng.randrange(40)) for _ in range(100)]

    def test_same(self):
        """Every method returns the same: the types, the shapes, and the values within 2e-5."""
        for name, path in self.models.items():
            held_out = self.folder / "test.ft"
            extra = ["ba ke\n", "__label__c1 nosuch\n", "__label__c0 __label__c1 ba __label__nosuch\n", "__label__zzz ba\n", "\n",
                     "__label__c0", "\n__label__c1 ba </s> ke\n"]  # fmt: skip
            held_out.write_text("".join(lines(20, 60)) + "".join(extra))
            calls = [
                (path, of, *arguments)
                for of, *arguments in [
                    ("labels",), ("words",), ("get_labels",), ("get_labels", True), ("get_words",), ("get_words", True),
                    ("get_dimension",), ("is_quantized",), ("get_label_id", "__label__c1"), ("get_label_id", "c1"),
                    ("get_input_vector", 3), ("get_input_matrix",), ("get_output_matrix",), ("get_line", ODD),
                    ("predict", "ba\nke"), ("predict", ["ba\n"]), ("get_sentence_vector", "ba\nke"), ("get_line", "ba\nke"),
                    ("predict", "ba", 0), ("predict", []), ("predict", "ba", 10**6), ("predict", "ba", 1, 2.0),
                    *[("test", str(held_out), k, threshold) for k, threshold in ((1, 0.0), (-1, 0.05), (-1, 0.4))],
                    *[("test_label", str(held_out), k, 0.1) for k in (1, 2)],
                    *[("predict", text, k, threshold) for text in self.texts for k, threshold in ((1, 0.0), (3, 0.2), (-1, 0.0))],
                    *[(of, word) for word in WORDS for of in ("get_word_id", "__contains__", "get_word_vector", "__getitem__")
                      if word != "__label__c1" or of in ("get_word_id", "__contains__")],
                    *[("get_subwords", word) for word in WORDS[:-2]],
                    *[("get_sentence_vector", text) for text in self.texts],
                    *[("get_line", text) for text in ODD],
                ]
            ]  # fmt: skip
            if "minn" in MODELS[name.split(".")[0]][1]:
                calls += [(path, "get_subword_id", word) for word in WORDS]
            for call, want, got in zip(calls, original(calls), answers(fasttext, calls)):
                with self.subTest(model=name, call=call[1:], want=want, got=got):
                    if call[1] == "get_subwords" and name in ("tree.ftz", "many.ftz"):
                        want = want[1]  # the original also lists parts without a row, so that its two lists do not agree
                        got = got[1]
                    if call[1] == "test_label":  # which counts no occurrences in the original, so that recall is nan
                        want = {label: row["precision"] for label, row in want.items()}
                        got = {label: row["precision"] for label, row in got.items()}
                    (self.same_prediction if call[1] == "predict" and type(want) is tuple else self.same)(want, got)

    def same_prediction(self, want, got):
        """Labels with nearly the same probability may be in another order."""
        (labels, scores), (ours, values) = want, got
        self.same(scores, values)
        self.assertEqual((type(ours), len(ours)), (type(labels), len(labels)))
        for i, (label, other) in enumerate(zip(labels, ours)):
            if label != other:
                ties = np.abs(scores - scores[i]) <= NEAR
                self.assertTrue(ties.sum() > 1 or i == len(labels) - 1, f"{i}: {label}, {other}")

    def same(self, want, got):
        if isinstance(want, np.ndarray) and want.size == 0:
            want = want.astype(got.dtype)  # of nothing, numpy makes float64
        self.assertIs(type(got), type(want))
        if isinstance(want, dict):
            self.assertEqual(got.keys(), want.keys())
            self.same(list(want.values()), [got[key] for key in want])
        elif isinstance(want, (tuple, list)):
            self.assertEqual(len(got), len(want))
            for one, other in zip(want, got):
                self.same(one, other)
        elif isinstance(want, np.ndarray):
            self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
            np.testing.assert_allclose(got, want, rtol=0, atol=NEAR)
        elif isinstance(want, float):
            np.testing.assert_allclose(got, want, rtol=0, atol=NEAR)
        else:
            self.assertEqual(got, want)

    def test_lists(self):
        """A list has the labels and types of the original, and the probabilities that a text alone has."""
        calls = [
            (path, "predict", self.texts, k, threshold)
            for path in self.models.values()
            for k, threshold in ((1, 0.0), (3, 0.1), (-1, 0.0))
        ]
        for (path, _, texts, k, threshold), want in zip(calls, original(calls)):
            model = fasttext.load_model(path)
            got = model.predict(texts, k, threshold)
            self.assertEqual([type(part) for part in got], [type(part) for part in want])
            for text, labels, scores, theirs, wrong in zip(texts, *got, *want):
                alone = model.predict(text, k=k, threshold=threshold)
                self.assertEqual((list(alone[0]), scores.dtype), (labels, wrong.dtype))
                np.testing.assert_array_equal(alone[1].astype(np.float32), scores)
                self.same_prediction((theirs, scores), (labels, scores))

    def test_pipelines(self):
        """Scripts of filters and taggers of documents, paragraphs and sentences run unchanged."""
        rng = random.Random(3)
        ends = [". ", "! ", "?\n", "\n\n", " "]
        documents = [
            "".join(sentence(rng, rng.randrange(20), 1 + rng.randrange(9)) + rng.choice(ends) for _ in range(rng.randrange(12)))
            for _ in range(60)
        ]
        given = "".join(json.dumps(text) + "\n" for text in documents)
        for name in ("two.bin", "tree.ftz", "many.bin", "any.bin"):
            outputs = []
            for python in (ORIGINAL, sys.executable):
                ran = subprocess.run([python, HERE / "pipelines.py", self.models[name]], input=given, capture_output=True, text=True)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                outputs.append([json.loads(line) for line in ran.stdout.splitlines()])
            self.assertEqual(len(outputs[0]), 6 * len(documents))
            with self.subTest(model=name):
                self.same(*outputs)

    @unittest.skipUnless(os.environ.get("NBSVM_DATA"), "SKIPPED: no NBSVM_DATA")
    def test_real_texts(self):
        """100,000 real texts have the labels and probabilities that the original gives them."""
        data = Path(os.environ["NBSVM_DATA"])
        texts = []
        for file, most in (("bible-langid/test.tsv.zst", 60_000), ("imdb/test.tsv.zst", 15_000), ("20news/test.tsv.zst", 5_000),
                           ("pros-cons/all.tsv.zst", 20_000)):  # fmt: skip
            raw = subprocess.run(["zstd", "-dc", data / file], stdout=subprocess.PIPE, check=True).stdout.decode()
            texts += [line.partition("\t")[2] for line in raw.split("\n")[:most]]
        self.assertGreaterEqual(len(texts), 100_000)
        for path, texts in ((str(data / "fasttext" / "lid.176.ftz"), texts), (self.models["many.bin"], texts[::5])):
            model = fasttext.load_model(path)
            labels, scores = model.predict(texts, 3, 0.001)
            theirs = original([(path, "predict", text, 3, 0.001) for text in texts])
            for text, want, got, values in zip(texts, theirs, labels, scores):
                if list(want[0]) != got or np.max(np.abs(want[1] - values), initial=0) > NEAR:
                    with self.subTest(model=path, text=text[:80], want=want, got=(got, values)):
                        self.same_prediction((list(want[0]), want[1].astype(np.float32)), (got, values))

    def test_processes(self):
        """A model is pickled by its path, and forked and new processes open its file again."""
        path = self.models["many.ftz"]
        model = fasttext.load_model(path)
        want, vector = model.predict(self.texts, k=2), model.get_word_vector("ba")
        self.assertLess(len(pickle.dumps(model)), 200 + len(path))
        program = "import pickle, sys; from test_fasttext import used; used(*pickle.load(sys.stdin.buffer))"
        ran = subprocess.run(
            [sys.executable, "-c", program], input=pickle.dumps((model, self.texts)), cwd=HERE, stdout=subprocess.PIPE, check=True
        )
        answers_ = [pickle.loads(ran.stdout)]
        if hasattr(os, "fork"):
            with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
                answers_ += pool.map(predicted, [model] * 3, [self.texts] * 3)
        for labels, scores, other in answers_:
            self.assertEqual(labels, want[0])
            np.testing.assert_array_equal(np.concatenate(scores), np.concatenate(want[1]))
            np.testing.assert_array_equal(other, vector)

    def test_save(self):
        for path in self.models.values():
            model, copy = fasttext.load_model(path), self.folder / "copy"
            model.save_model(str(copy))
            self.assertEqual(copy.read_bytes(), Path(path).read_bytes())
            with self.assertRaisesRegex(NotImplementedError, "fasttext quantize"):
                model.quantize()
            with self.assertRaisesRegex(nbsvm.Error, "copy its .bin or .ftz file"):
                nbsvm.load(path).save(copy)

    def test_inner(self):
        """Programs that avoid an error of the original with NumPy 2 call its inner model."""
        model = fasttext.load_model(self.models["two.bin"])
        labels, scores = model.predict("ba ke", k=2)
        self.assertEqual(model.f.predict("ba ke\n", 2, 0.0, "strict"), list(zip(scores.tolist(), labels)))
        self.assertEqual(model.f.multilinePredict(["ba ke\n"], 2, 0.0, "strict")[0], [list(labels)])


def predicted(model, texts):
    return (*model.predict(texts, k=2), model.get_word_vector("ba"))


def used(model, texts):
    """What a new process does with a model."""
    pickle.dump(predicted(model, texts), sys.stdout.buffer)


class Trained(unittest.TestCase):
    """Models of nbsvm's own kind behind fastText's names."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.path = cls.folder / "train.ft"
        cls.path.write_text("".join(lines(3, 600)))
        cls.model = fasttext.train_supervised(str(cls.path))

    def test_trained(self):
        model, path = self.model, self.folder / "model.nbm"
        self.assertEqual(sorted(model.labels), ["__label__c0", "__label__c1", "__label__c2"])
        self.assertEqual(model.get_labels(include_freq=True)[1].sum(), 600)
        lines_, precision, recall = model.test(self.path)
        self.assertEqual(lines_, 600)
        self.assertGreater(precision, 0.8)
        self.assertEqual(precision, recall)
        self.assertEqual(model.test_label(self.path).keys(), set(model.labels))
        labels, scores = model.predict("ba ke", k=-1)
        self.assertAlmostEqual(scores.sum(), 1, places=5)
        model.save_model(str(path))
        for copy in (_FastText(str(path)), pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(_FastText(path)))):
            self.assertEqual(copy.predict("ba ke", k=-1)[0], labels)
        self.assertEqual(model.get_line("ba __label__c1 ke"), (["ba", "ke", "</s>"], ["__label__c1"]))

    def test_numbers(self):
        """The label of a number has the prefix, too, by which programs look up labels."""
        path = str(self.folder / "numbers.nbm")
        made = nbsvm.train(["a lovely film", "a dull film"] * 9, [5, 0.5] * 9, model="nbsvr")
        made.save(path)
        for model in (fasttext.load_model(path), pickle.loads(pickle.dumps(fasttext.load_model(path)))):
            self.assertEqual(model.labels, ["__label__score"])
            labels, scores = model.predict("a lovely film")
            self.assertEqual((labels, scores), (("__label__score",), made.predict("a lovely film")[1]))
            for test in (model.test, model.test_label):
                with self.assertRaisesRegex(NotImplementedError, "the model predicts numbers, not labels"):
                    test(str(self.path))

    def test_parameters(self):
        """A parameter has its counterpart's effect, a warning, or a reason why it is refused."""
        path = str(self.path)
        options = fasttext.train_supervised(path, wordNgrams=3, maxn=4, min_count=3, thread=1, seed=5)._model.made["options"]
        self.assertEqual(options["text"]["families"], ["word:1-3", "char-wb:1-4"])
        self.assertEqual((options["min_df"], options["seed"], options["calibrate"]), (3, 5, True))
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what a program gives that passes all of fastText's defaults
            fasttext.train_supervised(
                input=path, lr=0.1, dim=100, ws=5, epoch=5, minCount=1, minCountLabel=1, minn=0, maxn=0, neg=5, wordNgrams=2,
                loss="softmax", bucket=2_000_000, thread=0, lrUpdateRate=100, t=1e-4, label="__label__", verbose=2,
                pretrainedVectors=None,
            )  # fmt: skip
        with self.assertWarnsRegex(UserWarning, r"lr=0.5, epoch=25: without effect") as caught:
            fasttext.train_supervised(path, lr=0.5, epoch=25)
        self.assertEqual(caught.filename, __file__)
        self.assertTrue(fasttext.train_supervised(path, loss="ova")._model.multi_label)
        for parameters, error, message in [
            ({"pretrainedVectors": "x.vec"}, NotImplementedError, "have no vectors"),
            ({"label_prefix": "#"}, NotImplementedError, "replace the prefix"),
            ({"autotuneValidationFile": path}, NotImplementedError, "nbsvm.tune"),
            ({"minCountLabel": 5}, NotImplementedError, "rare labels"),
            ({"loss": "hinge"}, ValueError, "softmax, hs"),
            ({"dims": 5}, TypeError, "no parameter 'dims'"),
        ]:
            with self.assertRaisesRegex(error, message):
                fasttext.train_supervised(path, **parameters)
        with self.assertRaisesRegex(TypeError, "needs input"):
            fasttext.train_supervised()

    def test_quantize(self):
        model = fasttext.FastText._FastText._of(nbsvm.train(self.path, model="mnb"))
        self.assertFalse(model.is_quantized())
        want = model.predict("ba ke")[0]
        model.quantize()
        model.quantize()  # fastText's programs may, too
        self.assertTrue(model.is_quantized())
        self.assertEqual(model.predict("ba ke")[0], want)
        with self.assertRaisesRegex(NotImplementedError, "max_model"):
            model.quantize(cutoff=100)

    def test_refused(self):
        """What nbsvm can't do says so, and what to use instead."""
        for use in (
            self.model.get_words, lambda: self.model["ba"], lambda: "ba" in self.model, self.model.get_dimension,
            lambda: self.model.get_sentence_vector("ba"), self.model.get_input_matrix, lambda: self.model.get_subwords("ba"),
            self.model.get_nearest_neighbors, self.model.get_analogies, self.model.get_meter, self.model.set_matrices,
            fasttext.train_unsupervised, fasttext.cbow, fasttext.skipgram, fasttext.supervised,
        ):  # fmt: skip
            with self.assertRaisesRegex(NotImplementedError, "use|train it"):
                use()
        for text in (None, ["a", None], 5):
            with self.assertRaises(TypeError):
                self.model.predict(text)
        with self.assertRaises(FileNotFoundError):
            fasttext.load_model("nosuch.bin")
        with self.assertRaisesRegex(ValueError, "path of a model"):
            _FastText()

    def test_odd_texts(self):
        """Lone surrogates, which the original refuses, are invalid bytes, and a list of illegible texts is predicted."""
        labels, scores = self.model.predict(["\ud800 ba", "ba"])
        self.assertEqual([len(row) for row in labels], [1, 1])
        self.assertEqual(self.model.predict("\ud800 ba")[0], tuple(labels[0]))

    def test_module(self):
        self.assertEqual(fasttext.tokenize("a b\tc\nd\0e"), ["a", "b", "c", "</s>", "d", "e"])
        self.assertEqual((fasttext.EOS, fasttext.BOW, fasttext.EOW), ("</s>", "<", ">"))
        self.assertIs(fasttext.load_model, fasttext.FastText.load_model)
        requires = importlib.metadata.requires("nbsvm-fasttext")
        self.assertEqual(requires, ["nbsvm ==" + importlib.metadata.version("nbsvm")])


if __name__ == "__main__":
    unittest.main()
