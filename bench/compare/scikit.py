"""Classifiers as one writes them with scikit-learn, to be compared with.

scikit.py train METHOD INPUT MODEL   lines of label<TAB>text; METHOD is one of those at the end
scikit.py score MODEL INPUT          such lines, whose labels are not looked at; prints a label for each
"""

import sys
from itertools import islice

import joblib
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

BATCH = 5000  # texts scored at a time
# The same tokens as nbsvm's: words, characters of scripts without spaces between words, and punctuation marks.
CHARACTERS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
TOKEN = rf"[{CHARACTERS}]|[^\W_{CHARACTERS}]+(?:['’][^\W_{CHARACTERS}]+)*|[!?.,;:()\"…“”„‟«»！？。．，、；：（）＂「」『』｡､｢｣]"


class NBSVM(BaseEstimator):
    """NBSVM (Wang and Manning 2012), one class against the rest: the weights w become beta w + (1 - beta) mean |w|."""

    def __init__(self, C, beta):
        self.C, self.beta = C, beta

    def fit(self, x, y):
        y, self.classes = np.array(y), sorted(set(y))
        two = len(self.classes) == 2
        found = [self.weights(x, y == c) for c in (self.classes[1:] if two else self.classes)]
        self.coefficients, self.intercepts = np.array([w for w, _ in found]).T, np.array([b for _, b in found])
        return self

    def weights(self, x, positive):
        p = 1 + np.asarray(x[positive].sum(axis=0)).ravel()
        q = 1 + np.asarray(x[~positive].sum(axis=0)).ravel()
        ratio = np.log((p / p.sum()) / (q / q.sum()))
        svm = LinearSVC(C=self.C).fit(x.multiply(ratio).tocsr(), positive)
        w = self.beta * svm.coef_[0] + (1 - self.beta) * np.abs(svm.coef_[0]).mean()
        return ratio * w, self.beta * svm.intercept_[0]

    def predict(self, x):
        margins = x @ self.coefficients + self.intercepts
        best = margins.argmax(axis=1) if len(self.classes) > 2 else (margins[:, 0] > 0).astype(int)
        return [self.classes[k] for k in best]


def words(vectorizer, **options):
    return vectorizer(token_pattern=TOKEN, ngram_range=(1, 2), **options)


def characters():
    return TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True)


METHODS = {
    "tfidf": lambda: make_pipeline(words(TfidfVectorizer, sublinear_tf=True), LinearSVC(C=1)),
    "characters": lambda: make_pipeline(make_union(words(TfidfVectorizer, sublinear_tf=True), characters()), LinearSVC(C=1)),
    "nbsvm": lambda: make_pipeline(words(CountVectorizer, binary=True), NBSVM(C=1, beta=0.25)),
    "nbsvm-small": lambda: make_pipeline(words(CountVectorizer, binary=True, min_df=2), NBSVM(C=0.01, beta=1)),
}


def lines(path):
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n")


def train(method, path, model):
    labels, texts = zip(*(line.split("\t", 1) for line in lines(path)))
    joblib.dump(METHODS[method]().fit(texts, labels), model)


def score(model, path):
    pipeline, texts = joblib.load(model), (line.split("\t", 1)[1] for line in lines(path))
    while batch := list(islice(texts, BATCH)):
        sys.stdout.writelines(f"{label}\n" for label in pipeline.predict(batch))


if __name__ == "__main__":
    {"train": train, "score": score}[sys.argv[1]](*sys.argv[2:])
