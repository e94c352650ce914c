"""NBSVM as one writes it with scikit-learn, to be compared with.

nbsvm.py train INPUT MODEL   lines of label<TAB>text
nbsvm.py score MODEL INPUT   lines of text; prints label<TAB>score
"""

import sys
from itertools import islice

import joblib
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.svm import LinearSVC

ALPHA, C, BATCH = 1, 0.01, 5000


def lines(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n")


def train(path, model):
    labels, texts = zip(*(line.split("\t", 1) for line in lines(path)))
    labels = np.array(labels)
    # The same tokens as nbsvm's: words and punctuation marks.
    vectorizer = CountVectorizer(binary=True, ngram_range=(1, 2), min_df=2, token_pattern=r"\w+|[^\w\s]")
    x = vectorizer.fit_transform(texts)
    positive = labels == max(labels)
    p = ALPHA + np.asarray(x[positive].sum(axis=0)).ravel()
    q = ALPHA + np.asarray(x[~positive].sum(axis=0)).ravel()
    ratio = np.log((p / p.sum()) / (q / q.sum()))
    svm = LinearSVC(C=C, dual=True).fit(x.multiply(ratio).tocsr(), labels)
    # Weights take the ratio in, so that scoring needs no product with it.
    joblib.dump((vectorizer, svm.classes_, ratio * svm.coef_[0], svm.intercept_[0]), model)


def score(model, path):
    vectorizer, classes, weights, intercept = joblib.load(model)
    texts = lines(path)
    while batch := list(islice(texts, BATCH)):
        for s in vectorizer.transform(batch) @ weights + intercept:
            sys.stdout.write(f"{classes[int(s > 0)]}\t{s:.6g}\n")


if __name__ == "__main__":
    {"train": train, "score": score}[sys.argv[1]](*sys.argv[2:])
