"""Models of tags."""

import multiprocessing
import pickle
import tempfile
import unittest
from pathlib import Path

import nbsvm
from nbsvm import tag

SENTENCES = [
    [("The", "DT", "B-NP"), ("dog", "NN", "I-NP"), ("barked", "VBD", "B-VP"), (".", ".", "O")],
    [("A", "DT", "B-NP"), ("small", "JJ", "I-NP"), ("cat", "NN", "I-NP"), ("slept", "VBD", "B-VP"), (".", ".", "O")],
    [("Dogs", "NNS", "B-NP"), ("like", "VBP", "B-VP"), ("old", "JJ", "B-NP"), ("cats", "NNS", "I-NP"), (".", ".", "O")],
]
WORDS = [[word[:2] for word in sentence] for sentence in SENTENCES]
TAGS = [[word[2] for word in sentence] for sentence in SENTENCES]
PLAIN = [[("the", "DET"), ("dog", "NOUN"), ("barks", "VERB")], [("New York", "NOUN"), ("sleeps", "VERB")]]


class Tagging(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = tag.train(SENTENCES, model="crf")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_tags(self):
        self.assertEqual(self.model.tags, ["B-NP", "B-VP", "I-NP", "O"])
        self.assertEqual((self.model.made["kind"], self.model.made["scheme"]), ("crf", "iob2"))
        self.assertEqual(self.model.tag(WORDS[0]), TAGS[0])
        self.assertEqual(self.model.tag(WORDS), TAGS)
        self.assertEqual(self.model.tag([WORDS[0], [], WORDS[1]], threads=1), [TAGS[0], [], TAGS[1]])
        self.assertEqual(self.model.tag([]), [])
        self.assertIn("crf of 4 tags", repr(self.model))

    def test_words(self):
        for model in ("perceptron", "window"):
            with tag.train(PLAIN, model=model) as plain:
                self.assertEqual(plain.tag(["the", "dog", "barks"]), ["DET", "NOUN", "VERB"])
                self.assertEqual(plain.tag([["New York", "sleeps"]]), [["NOUN", "VERB"]])
                self.assertEqual(plain.evaluate(PLAIN).accuracy, 1)
            with self.assertRaisesRegex(nbsvm.Error, "closed"):
                plain.tag(["the"])

    def test_describe(self):
        one = self.model.describe(WORDS[0], marginals=True)
        self.assertEqual((one["words"], one["tags"]), ([word for word, _ in WORDS[0]], TAGS[0]))
        self.assertAlmostEqual(sum(one["marginals"][1].values()), 1)
        self.assertEqual(self.model.describe(WORDS)[0], self.model.describe(WORDS[0]))

    def test_files(self):
        """Files and sentences in memory make the same model, and the command's formats are read."""
        path = self.folder / "train.conll"
        path.write_text("".join("".join(" ".join(word) + "\n" for word in s) + "\n" for s in SENTENCES))
        model = tag.train(path, model="crf")
        self.assertEqual(model.to_bytes(), self.model.to_bytes())
        metrics = model.evaluate([path], threads=1)
        self.assertEqual((metrics.accuracy, metrics.f1, metrics.sentences), (1, 1, 3))
        model.score(path, self.folder / "out.conll")
        self.assertEqual((self.folder / "out.conll").read_text(), path.read_text())
        slash = self.folder / "slash.txt"
        slash.write_text("the/DET dog/NOUN\n")
        self.assertEqual(tag.train(slash, format="slash").tag(["the", "dog"]), ["DET", "NOUN"])
        with self.assertRaises(FileNotFoundError):
            tag.train(self.folder / "absent.conll")

    def test_saved(self):
        path = self.folder / "chunks.nbt"
        self.model.save(path)
        for other in (tag.load(path), tag.load(path.read_bytes()), pickle.loads(pickle.dumps(self.model))):
            self.assertEqual(other.tag(WORDS), TAGS)
            self.assertEqual(other.made, self.model.made)
        with self.assertRaisesRegex(nbsvm.Error, "not a model"):
            nbsvm.load(path)
        nbsvm.train(["a b", "c d"] * 4, ["x", "y"] * 4).save(path)
        with self.assertRaisesRegex(nbsvm.Error, "not a model"):
            tag.load(path)

    @unittest.skipUnless("fork" in multiprocessing.get_all_start_methods(), "processes can't be forked here")
    def test_forked(self):
        path = self.folder / "chunks.nbt"
        self.model.save(path)
        with tag.load(path) as model, multiprocessing.get_context("fork").Pool(1) as pool:
            self.assertEqual(pool.apply(model.tag, (WORDS,)), TAGS)

    def test_progress(self):
        lines = []
        tag.train(SENTENCES * 300, model="crf", epochs=40, progress=lines.append)
        self.assertTrue(all(line.startswith("train: ") for line in lines), lines)

    def test_wrong(self):
        for error, text, call in [
            (TypeError, "unknown option 'epoch'", lambda: tag.train(SENTENCES, epoch=3)),
            (nbsvm.Error, "l2 needs model crf", lambda: tag.train(SENTENCES, l2=3)),
            (nbsvm.Error, "model must be one of", lambda: tag.train(SENTENCES, model="hmm")),
            (nbsvm.Error, "epochs must be a whole number", lambda: tag.train(SENTENCES, epochs="many")),
            (nbsvm.Error, "no sentences", lambda: tag.train([])),
            (nbsvm.Error, r"sentence 2: a tagged word must be \(word, tag\)", lambda: tag.train([PLAIN[0], ["the"]])),
            (nbsvm.Error, "tabs or line ends", lambda: tag.train([[("a\tb", "X")]])),
            (nbsvm.Error, "columns instead of", lambda: tag.train([SENTENCES[0], PLAIN[0]])),
            (nbsvm.Error, "must not be empty", lambda: self.model.tag([("the", "DT"), ("", "NN")])),
            (nbsvm.Error, "no word", lambda: self.model.tag([("-DOCSTART-", "X")])),
            (nbsvm.Error, "too few columns", lambda: self.model.tag(["The", "dog"])),
            (TypeError, "not a str", lambda: self.model.tag("The dog")),
            (TypeError, "sentence 1 must be a list", lambda: self.model.tag([1, 2])),
            (TypeError, "takes paths", lambda: self.model.score(WORDS, self.folder / "out")),
            (TypeError, "unknown option 'colum'", lambda: self.model.evaluate(SENTENCES, colum=2)),
            (nbsvm.Error, "no probabilities", lambda: tag.train(PLAIN).describe(["the"], marginals=True)),
        ]:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()


if __name__ == "__main__":
    unittest.main()
