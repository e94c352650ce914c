"""The estimators, by scikit-learn's own checks and beside its pipelines."""

import pickle
import unittest
import warnings
from typing import get_args, get_type_hints

import numpy as np

try:
    import sklearn
    from sklearn.base import clone
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.exceptions import NotFittedError, SkipTestWarning
    from sklearn.metrics import r2_score
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
    from sklearn.utils.estimator_checks import check_estimator
    from sklearn.utils.validation import check_array, check_is_fitted, check_X_y
except ImportError as e:
    raise unittest.SkipTest(f"scikit-learn is not installed: {e}") from e

import nbsvm
from nbsvm._training import Options, of_numbers, without_effect
from nbsvm.sklearn import NBSVMClassifier, NBSVMRegressor

TEXTS = ["a lovely warm film", "wonderful acting", "dull and tiresome", "dreadful acting", "it was fair", "fair enough"] * 6
LABELS = np.array(["good", "good", "bad", "bad", "fair", "fair"] * 6)


class ArraysAsTexts:
    """Takes the arrays of scikit-learn's checks, and makes texts of them: a word for each column and what it is near."""

    def fit(self, X, y, sample_weight=None):
        X, y = check_X_y(X, y, estimator=self)
        self.n_features_in_ = X.shape[1]
        return super().fit(words(X), y, sample_weight)

    def checked(self, X):
        check_is_fitted(self)
        X = check_array(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        return words(X)

    def predict(self, X):
        return super().predict(self.checked(X))

    def _more_tags(self):
        return {**super()._more_tags(), "X_types": ["2darray"], "multilabel": False}


class ClassifierOfArrays(ArraysAsTexts, NBSVMClassifier):
    def predict_proba(self, X):
        return super().predict_proba(self.checked(X))

    def decision_function(self, X):
        return super().decision_function(self.checked(X))


class RegressorOfArrays(ArraysAsTexts, NBSVMRegressor):
    pass


def words(X):
    texts = []
    for row in np.asarray(X, float):
        texts.append(" ".join(f"c{j}x{step}" for j, v in enumerate(row) for step in range(-12, 13) if v > step / 2))
    return texts


class Estimator(unittest.TestCase):
    def test_check_estimator(self):
        """scikit-learn's checks: of an estimator of texts it skips those that fit arrays, which ArraysAsTexts takes."""
        for of_texts, of_arrays, exactly in (
            # By default they depend on the order of texts, by folds of calibration and within the solver's tolerance.
            (NBSVMClassifier, ClassifierOfArrays, {"model": "mnb"}),
            (NBSVMRegressor, RegressorOfArrays, {"loss": "squared-epsilon-insensitive", "tol": 1e-12, "max_epochs": 10**5}),
        ):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                check_estimator(of_texts())
            self.assertTrue(any(issubclass(w.category, SkipTestWarning) for w in told))
            failed = []
            ran = 0
            for estimator, check in check_estimator(of_arrays(min_df=1, n_jobs=1), generate_only=True):
                name = check.func.__name__
                if check.keywords.get("kind") == "zeros":
                    estimator = clone(estimator).set_params(**exactly)
                ran += 1
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        check(estimator)
                    except unittest.SkipTest:
                        pass
                    except Exception as e:
                        failed.append(f"{name}: {type(e).__name__}: {e}")
            self.assertEqual(failed, [])
            self.assertGreater(ran, 40)

    def test_predictions(self):
        for options in ({}, {"calibrate": False}, {"model": "mnb"}, {"loss": "logistic"}, {"preset": "tfidf", "min_df": 1}):
            with self.subTest(options):
                c = NBSVMClassifier(**options).fit(TEXTS, LABELS)
                self.assertEqual(c.classes_.tolist(), ["bad", "fair", "good"])
                self.assertEqual(c.score(TEXTS, LABELS), 1)
                decided = c.decision_function(TEXTS)
                self.assertEqual(decided.shape, (len(TEXTS), 3))
                np.testing.assert_array_equal(c.classes_[decided.argmax(axis=1)], c.predict(TEXTS))
                if options.get("calibrate", True):
                    np.testing.assert_allclose(c.predict_proba(TEXTS).sum(axis=1), 1)
                else:
                    self.assertFalse(hasattr(c, "predict_proba"))

    def test_sample_weight(self):
        """A weight of k is k copies, and one of 0 is no document, also for the calibration, which is the default."""
        random = np.random.RandomState(5)
        for classes in (2, 3):
            y = random.randint(classes, size=150)
            texts = [
                " ".join(f"c{k}w{random.randint(6)}" if random.rand() < 0.45 else f"x{random.randint(25)}" for _ in range(6))
                for k in y
            ]
            weights = random.randint(0, 4, size=len(y))
            copies = [text for text, weight in zip(texts, weights) for _ in range(weight)]
            for options in ({}, {"calibrate": False}, {"model": "svm"}, {"model": "logistic"}, {"model": "mnb"}):
                with self.subTest(options, classes=classes):
                    counted = options.get("model") == "mnb"
                    c = NBSVMClassifier(min_df=1, **options, **({} if counted else {"tol": 1e-7, "max_epochs": 10000}))
                    scores = []
                    for X, z, w in ((texts, y, weights), (copies, np.repeat(y, weights), None), (texts, y, None)):
                        fitted = clone(c).fit(X, z, sample_weight=w)
                        proba = options.get("calibrate", True)
                        scores.append(fitted.predict_proba(texts) if proba else fitted.decision_function(texts))
                    np.testing.assert_allclose(scores[0], scores[1], atol=1e-3)
                    self.assertGreater(np.abs(scores[0] - scores[2]).max(), 0.05)
        for weights in (-np.ones(len(y)), np.full(len(y), np.nan), np.ones(len(y) - 1), ["a"] * len(y), np.zeros(len(y))):
            with self.assertRaises(ValueError):
                NBSVMClassifier().fit(texts, y, sample_weight=weights)

    def test_classes_of_any_kind(self):
        for classes in ([3, -1, 20], [True, False, True], [0.5, 1.5, 2.0]):
            y = np.array(classes * 12)
            if y.dtype == float and classes[0] == 0.5:
                with self.assertRaises(ValueError):
                    NBSVMClassifier().fit(TEXTS, y)
                continue
            texts = [f"word{v}" for v in y]
            c = NBSVMClassifier(min_df=1).fit(texts, y)
            np.testing.assert_array_equal(c.predict(texts), y)
            self.assertEqual(c.predict(texts).dtype, y.dtype)
        c = NBSVMClassifier(min_df=1, class_weight={"good": 3}).fit(TEXTS, LABELS)
        self.assertEqual(c.model_.made["options"]["class_weight"]["weights"]["000002"], 3)

    def test_targets(self):
        """Labels of all types that people have: predicted as they were given, or refused with what to do."""
        n, texts = len(TEXTS), [f"{label} word{k} word{k + 1}" for k, label in enumerate(LABELS)]
        numbers = [1 if label == "good" else 0 for label in LABELS]
        flags = [label == "good" for label in LABELS]
        cases = [
            ("numpy str", LABELS, LABELS), ("objects", LABELS.astype(object), LABELS.astype(object)),
            ("list", LABELS.tolist(), LABELS), ("generator", iter(LABELS.tolist()), LABELS),
            ("values of a dict", dict(enumerate(LABELS)).values(), LABELS), ("bool", flags, np.array(flags)),
            ("int8", np.array(numbers, np.int8), np.array(numbers, np.int8)), ("float", np.array(numbers, float), np.array(numbers, float)),
            ("int objects", np.array([np.int64(k) for k in numbers], object), np.array(numbers)),
            ("long ints", [k + 2**70 for k in numbers], np.array([k + 2**70 for k in numbers])),
            ("bytes", [label.encode() for label in LABELS], LABELS.astype("S")),
        ]  # fmt: skip
        refused = [
            ("mixed", ["a", 1] * (n // 2), "that of text 2 is 1 .int.; make them one type"),
            ("mixed objects", np.array(["a", 1] * (n // 2), object), "make them one type"),
            ("'1' and 1", ["1", 1] * (n // 2), "make them one type"), ("bool and int", [True, 0] * (n // 2), "make them one type"),
            ("nan", [float("nan"), 1.0] * (n // 2), "text 1 has no label"), ("numpy nan", np.array([1, np.nan] * (n // 2)), "text 2 has no label"),
            ("None", ["a", None] * (n // 2), "text 2 has no label"), ("NaT", np.array(["NaT", "2020-01-01"] * (n // 2), "M8[D]"), "text 1 has no label"),
            ("fractions", [0.5, 1.0] * (n // 2), "continuous.*with str"), ("objects", [object()] * n, "must be a str, a number or a bool"),
            ("set", set(LABELS), "in the order of the texts"), ("word", "good", "a label for each text"), ("dict", {"a": 1}, "a label for each text"),
            ("sets", [{"a"}, {"b"}] * (n // 2), "MultiLabelBinarizer"), ("lists", [["a"], ["b", "c"]] * (n // 2), "MultiLabelBinarizer"),
            ("pairs", [["a", "x"], ["b", "y"]] * (n // 2), "MultiLabelBinarizer"), ("counts", [[0, 2], [1, 0]] * (n // 2), "MultiLabelBinarizer"),
            ("nan in a matrix", np.array([[0, np.nan]] * n), "indicator matrix"), ("one class", ["a"] * n, "only one class"),
        ]  # fmt: skip
        try:
            import pandas as pd
        except ImportError:
            pass
        else:
            cases += [
                ("Int64", pd.array(numbers, dtype="Int64"), np.array(numbers)), ("boolean", pd.Series(flags, dtype="boolean"), np.array(flags)),
                ("category", pd.Series(LABELS, dtype="category"), LABELS.astype(object)),
                ("string", pd.Series(LABELS, dtype="string"), LABELS.astype(object)), ("numbers", pd.Series(numbers), np.array(numbers)),
            ]  # fmt: skip
            refused += [
                ("NA", pd.Series([pd.NA, *numbers[1:]], dtype="Int64"), "text 1 has no label"),
                ("two columns", pd.DataFrame({"id": LABELS, "label": LABELS}), "indicator matrix"),
            ]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for name, y, want in cases:
                with self.subTest(name):
                    c = NBSVMClassifier(n_jobs=1).fit(texts, y)
                    got = c.predict(texts)
                    self.assertEqual((got.tolist(), got.dtype.kind), (want.tolist(), want.dtype.kind))
                    self.assertEqual(c.classes_.tolist(), sorted(set(want.tolist())))
                    self.assertEqual(c.classes_[c.predict_proba(texts).argmax(axis=1)].tolist(), got.tolist())
            for name, y, error in refused:
                with self.subTest(name), self.assertRaisesRegex(ValueError, error):
                    NBSVMClassifier().fit(TEXTS, y)
        for X in (3, None, set(TEXTS), [None] * n, [text.split() for text in TEXTS]):
            with self.subTest(X=X), self.assertRaisesRegex(TypeError, "nbsvm: text"):
                NBSVMClassifier().fit(X, LABELS)

    def test_margins_near_certainty(self):
        """decision_function tells texts apart whose probabilities are 1."""
        for labels in (LABELS, np.where(LABELS == "good", "good", "bad")):
            c = NBSVMClassifier(model="mnb", alpha=1e-9, min_df=1, ngrams=(1, 1)).fit(TEXTS, labels)
            texts = ["lovely warm", "lovely warm film", "lovely warm film wonderful"]
            scores = c.decision_function(texts)
            scores = scores if scores.ndim == 1 else scores[:, 2]
            self.assertTrue((np.diff(scores) > 0).all(), scores)
            self.assertTrue((c.predict_proba(texts).max(axis=1) == 1).any())

    def test_kinds(self):
        for options in (
            {"model": "cnb", "alpha": 0.5},
            {"model": "rocchio"},
            {"model": "knn", "neighbours": 5},
            {"model": "rocchio", "values": "binary"},
            {"model": "perceptron", "hold_out": 0.2},
            {"model": "pa", "C": 0.3},
            {"model": "gbdt", "rounds": 20, "depth": 2, "rate": 0.1},
        ):
            with self.subTest(options), warnings.catch_warnings():
                warnings.simplefilter("error")
                c = NBSVMClassifier(min_df=1, **options).fit(TEXTS, LABELS)
                self.assertGreater(c.score(TEXTS, LABELS), 0.8)
                np.testing.assert_allclose(c.predict_proba(TEXTS).sum(axis=1), 1, atol=1e-6)

    def test_parameters(self):
        """Every option of training is a parameter, but for those that have another name, or none, in scikit-learn."""
        options = set(Options.__annotations__) - {"seed", "threads", "memory"}
        options -= {"hierarchy"}  # of names that classes have not in the model
        sample = {name: "x" for name in options - {"preset", "model"}}
        kinds = get_args(get_type_hints(Options)["model"])
        for estimator in (NBSVMClassifier(), NBSVMRegressor()):
            of = [kind for kind in kinds if of_numbers({"model": kind}) == isinstance(estimator, NBSVMRegressor)]
            ignored = set.intersection(*(set(without_effect({**sample, "model": kind})) for kind in of))
            self.assertEqual(options - ignored | {"random_state", "n_jobs"}, set(estimator.get_params()))

    def test_many_labels(self):
        texts = ["sail and mast", "flour and oven", "sail and flour", "nothing at all"] * 6
        y = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 0]] * 6)  # of the last class there is no text
        c = NBSVMClassifier().fit(texts, y)
        np.testing.assert_array_equal(c.predict(texts), y)
        self.assertEqual(c.predict_proba(texts).shape, y.shape)
        self.assertEqual(c.score(texts, y), 1)

    def test_beside_others(self):
        grid = GridSearchCV(NBSVMClassifier(n_jobs=1), {"C": [0.1, 1], "ngrams": [(1, 1), (1, 2)]}, cv=2, n_jobs=2)
        grid.fit(TEXTS, LABELS)
        self.assertEqual(grid.best_score_, 1)
        self.assertEqual(cross_val_score(NBSVMClassifier(), np.array(TEXTS), LABELS, cv=3).mean(), 1)
        groups = np.arange(len(TEXTS)) // 6
        self.assertEqual(cross_val_score(NBSVMClassifier(), TEXTS, LABELS, groups=groups, cv=GroupKFold(3), scoring="roc_auc_ovr").mean(), 1)
        pipeline = make_pipeline(FunctionTransformer(lambda X: [x.lower() for x in X]), NBSVMClassifier())
        self.assertEqual(pipeline.fit(TEXTS, LABELS).score(TEXTS, LABELS), 1)
        calibrated = CalibratedClassifierCV(NBSVMClassifier(calibrate=False), cv=2).fit(TEXTS, LABELS)
        self.assertEqual(calibrated.score(TEXTS, LABELS), 1)

    def test_clone_and_pickle(self):
        c = NBSVMClassifier(C=3, ngrams=(1, 1))
        self.assertEqual(clone(c).get_params(), c.get_params())
        with self.assertRaises(NotFittedError):
            c.predict(TEXTS)
        c.fit(TEXTS, LABELS)
        copy = pickle.loads(pickle.dumps(c))
        np.testing.assert_array_equal(copy.predict_proba(TEXTS), c.predict_proba(TEXTS))
        c.set_params(C=1).fit(TEXTS, LABELS)
        self.assertEqual(c.model_.made["options"]["C"], 1)

    def test_refused(self):
        for X, y in (("text", ["a"]), (TEXTS, LABELS[1:]), (TEXTS, ["a"] * len(TEXTS)), (np.array([TEXTS]), LABELS)):
            with self.assertRaises(ValueError):
                NBSVMClassifier().fit(X, y)
        for X, y in (([], []), (TEXTS, np.zeros((len(TEXTS), 2, 2))), (TEXTS, [[0, 3]] * len(TEXTS)), (TEXTS, [["a"], ["b", "c"]] * (len(TEXTS) // 2))):
            with self.subTest(y=y), self.assertRaises(ValueError):
                NBSVMClassifier().fit(X, y)
        with self.assertRaisesRegex(ValueError, "n_jobs"):
            NBSVMClassifier(n_jobs=0).fit(TEXTS, LABELS)
        with self.assertRaisesRegex(TypeError, "n_jobs must be a whole number"):
            NBSVMClassifier(n_jobs="2").fit(TEXTS, LABELS)
        for labels, warning in (
            (["nan", "a"], "has the label .nan."), (["Good", "good"], "has labels that differ only by case"),
            (["['a', 'b']", "['b']"], "lists written as text"), (["a,b", "a", "b"], "several that are joined"), (["0 1 0", "1 0 0"], "vectors"),
        ):  # fmt: skip
            with self.assertWarnsRegex(UserWarning, "^y has .*" + warning.removeprefix("has ")):
                NBSVMClassifier().fit(TEXTS, (labels * len(TEXTS))[: len(TEXTS)])
        with self.assertWarnsRegex(UserWarning, "class_weight has '1', but no text has this label"):
            NBSVMClassifier(class_weight={"1": 2}).fit(TEXTS, np.arange(len(TEXTS)) % 2)
        for options, warning in (
            ({"model": "svm", "alpha": 1}, "^alpha has no effect"), ({"model": "mnb", "class_weight": "balanced"}, "^class_weight has no effect"),
            ({"model": "mnb", "class_weight": {"good": 2}, "C": 1}, "^C and class_weight have no effect"),
        ):  # fmt: skip
            with self.assertWarnsRegex(UserWarning, warning):
                NBSVMClassifier(**options).fit(TEXTS, LABELS)

    def test_logarithms(self):
        c = NBSVMClassifier().fit(TEXTS, np.array(LABELS))
        np.testing.assert_array_equal(c.predict_log_proba(TEXTS), np.log(c.predict_proba(TEXTS)))


class Regressor(unittest.TestCase):
    NUMBERS = np.array([5, 4.5, 0.5, 0, 2.5, 3] * 6)

    def test_predictions(self):
        """It predicts what nbsvm.train's model does, and scores it as scikit-learn."""
        svr = {"model": "svr", "loss": "epsilon-insensitive", "epsilon": 0.1}
        for options in ({}, svr, {"model": "ridge", "C": 3, "clip": False}, {"model": "ordinal"}, {"range": (0, 6)}):
            with self.subTest(options):
                r = NBSVMRegressor(min_df=1, **options).fit(TEXTS, self.NUMBERS)
                got = r.predict(TEXTS)
                self.assertEqual((got.shape, got.dtype), ((len(TEXTS),), np.float64))
                model = nbsvm.train(TEXTS, self.NUMBERS, **{"model": "nbsvr", "min_df": 1, **options})
                np.testing.assert_array_equal(got, model.scores(TEXTS)[:, 0])
                self.assertEqual(r.score(TEXTS, self.NUMBERS), r2_score(self.NUMBERS, got))
                self.assertGreater(r.score(TEXTS, self.NUMBERS), 0.9)
                copy = pickle.loads(pickle.dumps(r))
                np.testing.assert_array_equal(copy.predict(TEXTS), got)
                with self.assertRaises(NotFittedError):
                    clone(r).predict(TEXTS)
        self.assertFalse(hasattr(r, "predict_proba") or hasattr(r, "decision_function"))
        self.assertEqual(r.predict([]).shape, (0,))

    def test_sample_weight(self):
        weights = np.arange(len(TEXTS)) % 4
        copies = [k for k, weight in enumerate(weights) for _ in range(weight)]
        r = NBSVMRegressor(min_df=1, tol=1e-9, loss="squared-epsilon-insensitive")
        got = clone(r).fit(TEXTS, self.NUMBERS, sample_weight=weights).predict(TEXTS)
        want = clone(r).fit([TEXTS[k] for k in copies], self.NUMBERS[copies]).predict(TEXTS)
        np.testing.assert_allclose(got, want, atol=1e-4)
        self.assertGreater(np.abs(got - clone(r).fit(TEXTS, self.NUMBERS).predict(TEXTS)).max(), 0.01)

    def test_beside_others(self):
        r = NBSVMRegressor(min_df=1, n_jobs=1)
        self.assertGreater(cross_val_score(r, TEXTS, self.NUMBERS, cv=3).min(), 0.8)
        self.assertLess(cross_val_score(r, TEXTS, self.NUMBERS, cv=3, scoring="neg_mean_absolute_error").max(), 0)
        grid = GridSearchCV(r, {"C": [0.01, 1], "model": ["nbsvr", "ridge"]}, cv=3, n_jobs=2).fit(TEXTS, self.NUMBERS)
        self.assertEqual(grid.best_params_["C"], 1)
        pipeline = make_pipeline(FunctionTransformer(lambda X: [x.lower() for x in X]), r)
        self.assertGreater(pipeline.fit(TEXTS, self.NUMBERS).score(TEXTS, self.NUMBERS), 0.9)
        logs = TransformedTargetRegressor(r, func=np.log1p, inverse_func=np.expm1).fit(TEXTS, self.NUMBERS)
        self.assertGreater(logs.score(TEXTS, self.NUMBERS), 0.5)

    def test_refused(self):
        n, rest = len(TEXTS), self.NUMBERS[1:].tolist()
        for y, error in (
            (np.array([np.nan, *rest]), "text 1 has no number"), ([np.inf, *rest], "must be a number from"),
            (LABELS, "'good' of type str in place of a number"), (np.full(n, 3), r"y is 3 throughout \(36 samples\)"),
            (np.ones((n, 2)), "y has 2 columns"), ([[1, 2]] * n, "pass their mean"), (rest, "36 texts and 35 numbers"),
            (None, "requires y"), ("word", "must be a list"),
        ):  # fmt: skip
            with self.subTest(y=str(y)[:30]), self.assertRaisesRegex(ValueError, error):
                NBSVMRegressor().fit(TEXTS, y)
        for estimator, error in (
            (NBSVMRegressor(model="svm"), "model must be nbsvr, svr, ridge or ordinal"),
            (NBSVMRegressor(model=None), "model must be"),
            (NBSVMClassifier(model="ridge"), "predicts numbers: use NBSVMRegressor"),
            (NBSVMRegressor(loss="hinge"), "not hinge"),
            (NBSVMRegressor(C=-1), "C must be from"),
        ):
            with self.subTest(estimator), self.assertRaisesRegex(ValueError, error):
                estimator.fit(TEXTS, np.arange(n) % 3)
        with self.assertRaisesRegex(ValueError, "continuous.*NBSVMRegressor predicts numbers"):
            NBSVMClassifier().fit(TEXTS, self.NUMBERS)
        with self.assertWarnsRegex(UserWarning, "^alpha and epsilon have no effect"):
            NBSVMRegressor(model="ridge", alpha=2, epsilon=1).fit(TEXTS, self.NUMBERS)


if __name__ == "__main__":
    print("scikit-learn", sklearn.__version__)
    unittest.main()
