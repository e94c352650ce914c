package main

import (
	"fmt"
	"slices"
	"strings"
)

// advised has names that other programs use, separated by spaces, and what does the same here.
type advised struct{ names, advice string }

// otherCommands are commands of other programs.
var otherCommands = []advised{
	{"supervised fit", "nbsvm train reviews.txt -o reviews.nbm trains a model"},
	{"predict predict-prob classify", "nbsvm score reviews.nbm new.txt labels each line; --output-format fasttext prints what fastText prints"},
	{"test test-label evaluate", "nbsvm eval reviews.nbm test.txt prints accuracy, precision, recall and F1"},
	{"autotune", "nbsvm tune reviews.txt -o reviews.nbm searches for the best options"},
	{"filter", "nbsvm score --where 'p >= 0.9' reviews.nbm web.jsonl keeps the records that match"},
	{"nn analogies skipgram cbow print-word-vectors print-sentence-vectors", "nbsvm has no word vectors, only classifiers"},
}

// otherFlags are flags of fastText, Vowpal Wabbit, LIBLINEAR and scikit-learn. No command of nbsvm but tag has one of
// them.
var otherFlags = []advised{
	{"-input --input -d --data", "give files without a flag: nbsvm train reviews.txt -o reviews.nbm"},
	{"-output -f --final_regressor", "name the model with -o: nbsvm train reviews.txt -o reviews.nbm"},
	{"-i -m --initial_regressor", "the model is the first argument, without a flag: nbsvm score reviews.nbm new.txt"},
	{"-p --predictions", "predictions go to standard output, or to the file that -o names"},
	{"-t --testonly", "nbsvm score labels documents, nbsvm eval compares labels"},
	{"-wordNgrams --wordNgrams --ngram --ngram_range", "give a range of orders: --ngrams 1-2"},
	{"-minn -maxn --minn --maxn", "to add n-grams of characters: --features word,char-wb:2-5"},
	{"-minCount --minCount --min_df", "--min-df drops rare n-grams"},
	{"-epoch --epoch --epochs --passes --max_iter", "training stops at the gap of --tol, or after --max-epochs"},
	{"-lr --lr --learning_rate", "the solver needs no learning rate; --C sets the regularization"},
	{"-c -C --l2 --penalty --cost", "--C sets the regularization: a larger C is a weaker one"},
	{"-dim --dim -pretrainedVectors --pretrainedVectors", "nbsvm has no vectors"},
	{"-loss --loss_function", "choose --loss hinge, squared-hinge or logistic; --calibrate gives probabilities"},
	{"-bucket --bucket -b --bit_precision --max_features", "--bits N hashes n-grams into 2^N buckets"},
	{"-thread --n_jobs -j --jobs", "use --threads"},
	{"-s --solver", "--model and --loss choose what is solved"},
	{"-e --tolerance", "use --tol"},
	{"-B --fit_intercept", "use --bias"},
	{"-v --cv", "nbsvm cv --folds 5 reviews.tsv cross-validates; nbsvm version prints the version"},
	{"-w1 -w-1 --class_weight", "use --class-weight pos=2,neg=1"},
	{"-retrain -qnorm -qout", "nbsvm quantize --bits 8 reviews.nbm -o small.nbm makes a model smaller"},
	{"-autotune-duration --autotune-duration", "nbsvm tune --time 60s reviews.txt -o reviews.nbm searches for the best options for a minute"},
	{"-autotune-validation --autotune-validation", "nbsvm tune --valid dev.txt reviews.txt -o reviews.nbm compares options on dev.txt"},
}

// otherPrograms is the advice for a command line that is written for another program, or empty.
func otherPrograms(args []string) string {
	find := func(table []advised, name string) string {
		for _, row := range table {
			if slices.Contains(strings.Fields(row.names), name) {
				return row.advice
			}
		}
		return ""
	}
	if advice := find(otherCommands, args[0]); advice != "" {
		return fmt.Sprintf("there is no command %s; %s", args[0], advice)
	}
	if args[0] == "tag" { // tag train has --epochs and --l2
		return ""
	}
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		if advice := find(otherFlags, name); advice != "" {
			return fmt.Sprintf("there is no flag %s; %s", name, advice)
		}
	}
	return ""
}
