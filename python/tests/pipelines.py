"""Filters and taggers of documents as pipelines have them, over the module fasttext that this Python has.

    python3 pipelines.py MODEL < documents, a JSON string a line > what is kept, and attributes, as JSON lines
"""

import json
import re
import sys

import fasttext
from fasttext.FastText import _FastText


def spans(text, of):
    """The parts of a document: itself, its paragraphs or its sentences."""
    pattern = {"document": r"(?s).+", "paragraph": r"[^\n]+", "sentence": r"[^.!?\n]+[.!?]*"}[of]
    return [(found.start(), found.end()) for found in re.finditer(pattern, text)]


class Filter:
    """Keeps the parts of a document in which a label has a probability of so much."""

    def __init__(self, path, label, least, of):
        self.model, self.label, self.least, self.of = _FastText(path), "__label__" + label, least, of

    def __call__(self, text):
        kept = []
        for begin, end in spans(text, self.of):
            labels, scores = self.model.predict(text[begin:end].strip().replace("\n", " "), k=-1)
            if dict(zip(labels, scores)).get(self.label, 0.0) >= self.least:
                kept.append((begin, end, max((score.item() for score in scores), default=None)))
        return kept


class Tagger:
    """Gives each part of a document an attribute for each label, as [begin, end, score]."""

    def __init__(self, path, of):
        self.model, self.of = fasttext.load_model(path), of

    def __call__(self, text):
        attributes = {}
        for begin, end in spans(text, self.of):
            for label, score in zip(*self.model.predict(text[begin:end].lower().replace("\n", " ").strip(), -1, 0.001)):
                attributes.setdefault(label.replace("__label__", ""), []).append((begin, end, float(score)))
        return attributes


def main(path):
    label = fasttext.load_model(path).get_labels()[0].replace("__label__", "")
    modes = ("document", "paragraph", "sentence")
    steps = [Filter(path, label, 0.3, of) for of in modes] + [Tagger(path, of) for of in modes]
    for line in sys.stdin:
        for step in steps:
            print(json.dumps(step(json.loads(line))))


if __name__ == "__main__":
    main(sys.argv[1])
