"""Trains a classifier of reviews, and uses it: python3 examples/reviews.py."""

import tempfile
from pathlib import Path

import nbsvm

# %% Documents in memory: texts and their labels.

texts = [
    "a lovely warm film, funny and kind", "wonderful acting and a lovely story", "what a wonderful, funny evening",
    "kind, warm and beautifully played", "a beautifully told story, I loved it", "I loved the music and the lovely pictures",
    "a dull and tiresome film", "tiresome jokes, dreadful acting", "what a dreadful, boring evening",
    "boring from start to end, and badly played", "a badly told story, I hated it", "I hated the music and the dull pictures",
]  # fmt: skip
labels = ["good"] * 6 + ["bad"] * 6

# %% Training. With twelve short texts, every word counts.

model = nbsvm.train(texts, labels, min_df=1, loss="logistic")
print(model, model.labels)
assert model.made["documents"] == 12

# %% One text, as with fastText: labels and their probabilities.

label, probability = model.predict("A wonderful film!")
print(label, probability)
assert label == ("__label__good",) and probability[0] > 0.5

# %% Many texts at once, on all processors.

new = ["such lovely pictures", "dreadful and boring", "I loved it"]
found, probabilities = model.predict(new)
print(found)
assert found == [["__label__good"], ["__label__bad"], ["__label__good"]]

scores = model.scores(new)  # a row for each text, a column for each label
assert scores.shape == (3, 2)

# %% Why?

why = model.explain("a lovely but boring film", top=3)
for part in why["contributions"]:
    print(f"{part['margin']:+.3f} {part['name']}")

# %% A model is one file. Labels come without the prefix if you like.

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "reviews.nbm"
    model.save(path)
    again = nbsvm.load(path, prefix="")
    print(again.predict("what a dull evening"))
    assert again.predict("what a dull evening")[0] == ("bad",)

# %% scikit-learn, if it is installed.

try:
    from sklearn.model_selection import GridSearchCV

    from nbsvm.sklearn import NBSVMClassifier
except ImportError:
    print("scikit-learn is not installed")
else:
    search = GridSearchCV(NBSVMClassifier(min_df=1), {"ngrams": [(1, 1), (1, 2)]}, cv=3)
    search.fit(texts, labels)
    print(search.best_params_, search.predict(new))
