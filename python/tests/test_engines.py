"""The functions for Ray Data and Spark on the page about pipelines, with batches as these engines pass them."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import nbsvm

PAGES = [Path(__file__).parents[1] / name for name in ("from-pipelines.md", "../docs/how-to/from-pipelines.md")]
TEXTS = ["a lovely warm film", "wonderful acting", "a dull and tiresome film", "dreadful jokes"] * 4
LABELS = ["good", "good", "bad", "bad"] * 4


class Frame(dict):
    """What the functions ask of a DataFrame."""

    def assign(self, **columns):
        return Frame({**self, **columns})

    def __getitem__(self, key):
        return super().__getitem__(key) if isinstance(key, str) else Frame({name: of[key] for name, of in self.items()})


class Engines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        model = nbsvm.train(TEXTS, LABELS, loss="logistic", prefix="")
        model.save(f"{folder.name}/quality.nbm")
        self.want = np.array([dict(zip(*model.predict(text, k=-1)))["good"] for text in TEXTS])
        page = next(page for page in PAGES if page.exists()).read_text()
        module, calls = re.findall(r"(?s)```python\n(import functools.+?|from scores.+?)```", page)
        Path(folder.name, "scores.py").write_text(module)
        sys.path.insert(0, folder.name)
        self.addCleanup(sys.path.remove, folder.name)
        self.addCleanup(sys.modules.pop, "scores", None)
        self.functions = {}
        exec(calls.replace("/models/quality.bin", f"{folder.name}/quality.nbm"), self.functions)

    def test_ray(self):
        for n in (len(TEXTS), 1, 0):
            batch = {"id": np.arange(n), "text": np.array(TEXTS[:n], object)}
            got = self.functions["add_quality"](batch)
            np.testing.assert_array_equal(got["quality"], self.want[:n])
            np.testing.assert_array_equal(got["id"], np.arange(n))

    def test_spark(self):
        made = [Frame]
        try:
            import pandas

            made.append(pandas.DataFrame)
        except ImportError:
            print("SKIPPED: pandas is not installed, so its DataFrames are not tried")
        kept = np.flatnonzero(self.want >= 0.9)
        self.assertTrue(0 < len(kept) < len(TEXTS), self.want)
        for make in made:
            columns = {"id": np.arange(len(TEXTS)), "text": np.array(TEXTS, object)}
            cuts = ((0, 5), (5, 5), (5, len(TEXTS)))
            batches = [make({name: of[a:b] for name, of in columns.items()}) for a, b in cuts]
            got = list(self.functions["best"](iter(batches)))
            ids = np.concatenate([np.asarray(batch["id"]) for batch in got])
            np.testing.assert_array_equal(ids, kept)
            quality = np.concatenate([np.asarray(batch["quality"]) for batch in got])
            np.testing.assert_array_equal(quality, self.want[ids])

    def test_missing(self):
        with self.assertRaisesRegex(TypeError, "leave missing texts out"):
            self.functions["add_quality"]({"text": np.array(["a film", None], object)})

    def test_one_model(self):
        """A process opens a model once."""
        for _ in range(3):
            self.functions["add_quality"]({"text": np.array(TEXTS, object)})
        self.assertEqual(sys.modules["scores"].opened.cache_info().misses, 1)


if __name__ == "__main__":
    unittest.main()
