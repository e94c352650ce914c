"""Calls functions of the module fasttext that this Python has. test_fasttext.py runs it with the original.

    python3 calls.py < pickled calls > pickled answers
"""

import pickle
import sys


def answers(fasttext, calls):
    """Answers calls, each a model's path, or None for the module, a name and arguments. An error's answer is its type."""
    models, found = {None: fasttext}, []
    for path, name, *arguments in calls:
        try:
            if path not in models:
                models[path] = fasttext.FastText._FastText(path)
            if name == "train":
                options, quantize = arguments
                model = fasttext.train_supervised(**options)
                model.save_model(quantize["of"] + ".bin")
                if len(quantize) > 1:
                    model.quantize(input=options["input"], **{key: value for key, value in quantize.items() if key != "of"})
                    model.save_model(quantize["of"] + ".ftz")
                continue
            answer = getattr(models[path], name)
            found.append(answer(*arguments) if callable(answer) else answer)
        except Exception as error:  # noqa: BLE001 - it is the answer
            found.append(type(error).__name__)
    return found


if __name__ == "__main__":
    import fasttext

    if not hasattr(fasttext.FastText, "fasttext"):  # the module in C++
        sys.exit("this is another module")
    out = sys.stdout.buffer
    pickle.dump(answers(fasttext, pickle.load(sys.stdin.buffer)), out)
