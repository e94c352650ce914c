package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// advised has names that other programs use, separated by spaces, and what does the same here.
type advised struct{ names, advice string }

// adviceOn is what a table has on a name; empty if it does not have the name.
func adviceOn(table []advised, name string) string {
	for _, row := range table {
		if slices.Contains(strings.Fields(row.names), name) {
			return row.advice
		}
	}
	return ""
}

// otherCommands are commands of other programs, with what does the same here.
var otherCommands = []advised{
	{"supervised", "nbsvm train reviews.txt -o reviews.nbm trains a model; lines of __label__x text are recognised"},
	{"fit", "nbsvm train reviews.tsv -o reviews.nbm trains a model"},
	{"predict", "nbsvm score --output-format fasttext-labels reviews.nbm new.txt labels each line as fastText's predict does; without the flag, scores stand beside labels"},
	{"predict-prob", "nbsvm score --output-format fasttext reviews.nbm new.txt writes labels and scores as fastText's predict-prob does"},
	{"predict_proba", "nbsvm score --all-scores reviews.nbm new.txt writes the scores of all classes; they are probabilities if the model was trained with --calibrate"},
	{"autotune", "nbsvm tune reviews.txt -o reviews.nbm searches for the best settings"},
	{"gridsearch", "nbsvm cv --grid C=0.1,1,10 reviews.txt compares options"},
	{"filter", "nbsvm score --where 'p >= 0.9' reviews.nbm web.jsonl writes the records that pass"},
	{"classify", "nbsvm score reviews.nbm new.txt labels each line"},
	{"test", "nbsvm eval reviews.nbm test.txt compares predictions with labels: accuracy, precision, recall, F1"},
	{"test-label", "nbsvm eval reviews.nbm test.txt has precision, recall and F1 of every label"},
	{"evaluate", "nbsvm eval reviews.nbm test.tsv compares predictions with labels"},
	{"dump", "nbsvm inspect reviews.nbm tells what a model holds, nbsvm explain reviews.nbm its strongest n-grams"},
	{"info", "nbsvm inspect reviews.nbm tells what a model holds"},
	{"validate", "nbsvm verify reviews.nbm checks a file, nbsvm cv reviews.tsv cross-validates"},
	{"print-ngrams", "nbsvm explain reviews.nbm lists a model's strongest n-grams"},
	{"nn analogies skipgram cbow print-word-vectors print-sentence-vectors", noVectors},
}

const (
	noVectors = "there are no word vectors here, only classifiers: nbsvm train"
	autotune  = "nbsvm tune --time 60s --valid dev.txt reviews.txt -o reviews.nbm searches for the best settings, for a minute"
)

// otherFlags are flags of other programs, with what does the same here.
var otherFlags = []advised{
	// fastText
	{"-input --input --train", "files are arguments, without a flag: nbsvm train reviews.txt -o reviews.nbm"},
	{"-output", "the model's file is named with -o: nbsvm train reviews.txt -o reviews.nbm"},
	{"-wordNgrams --wordNgrams --ngram --ngram_range --ngram-range", "orders of n-grams are a range: --ngrams 1-2"},
	{"-minn -maxn --minn --maxn", "n-grams of characters beside words are --features word,char-wb:2-5"},
	{"-minCount --minCount", "n-grams of few documents are left out with --min-df"},
	{"-epoch --epoch --passes --epochs --max_iter --early_stopping", "training stops at the gap of --tol, or after --max-epochs"},
	{"-lr --lr -l --learning_rate", "there is no learning rate: the solver needs none; --C sets the regularisation"},
	{"-dim --dim", "there are no vectors, so they have no dimension; --bits sets the number of buckets"},
	{"-loss", "it is --loss hinge, squared-hinge or logistic; probabilities: --calibrate"},
	{"-bucket --bucket -b --bit_precision", "buckets are 2^N, --bits N"},
	{"-thread -n --n_jobs -j --jobs", "it is --threads"},
	{"-label", "labels begin with __label__ in format fasttext; other formats have a field, see --format and --label-field"},
	{"-qnorm -qout", "nbsvm quantize --bits 8 reviews.nbm -o small.nbm makes a model smaller"},
	{"-retrain", "nbsvm quantize --bits 8 reviews.nbm -o small.nbm needs no training"},
	{"-autotune --autotune", "nbsvm tune reviews.txt -o reviews.nbm searches for the best settings"},
	{"-verbose", "it is --quiet, or --progress none"},
	{"-pretrainedVectors --pretrainedVectors", "there are no pretrained vectors here"},
	{"-autotune-duration --autotune-duration -autotune-validation --autotune-validation", autotune},
	{"-autotune-metric --autotune-metric", "nbsvm tune --metric macro-f1 reviews.txt -o reviews.nbm searches for the best settings"},
	{"-autotune-modelsize --autotune-modelsize", "nbsvm tune --max-model 5MB reviews.txt -o reviews.nbm searches for the best settings of small models"},
	{"--label-prefix", "labels begin with __label__ in format fasttext; sed 's/__class__/__label__/g' gives them that prefix; other formats have a field, see --label-field"},
	// Vowpal Wabbit
	{"-d --data", "files are arguments, without a flag: nbsvm train reviews.vw -o reviews.nbm"},
	{"-t --testonly", "to score without learning: nbsvm score reviews.nbm new.txt; with labels to compare: nbsvm eval reviews.nbm test.tsv"},
	{"-i --initial_regressor", "the model is the first argument, without a flag: nbsvm score reviews.nbm new.txt"},
	{"-f --final_regressor", "the model's file is named with -o: nbsvm train reviews.tsv -o reviews.nbm"},
	{"-p --predictions", "predictions go to standard output, or to -o FILE: nbsvm score reviews.nbm new.txt -o predictions.tsv"},
	{"--loss_function --loss-function", "it is --loss hinge, squared-hinge or logistic"},
	{"--oaa", "several classes are trained one against the rest without a flag"},
	{"--l1 --penalty", "regularisation is L2: --C"},
	{"--l2 --lambda", "regularisation is --C, which is larger where it is weaker"},
	{"-c", "the cost is --C; a cache is a packed corpus, see nbsvm pack"},
	{"--cache_file", "a cache is a packed corpus, see nbsvm pack"},
	{"--invert_hash --readable_model", "the n-grams of a model are listed with nbsvm explain and nbsvm export"},
	{"--holdout_off", "nothing is held out without --valid or --calibrate"},
	{"--skips", "there are no skip-grams here"},
	{"--input-format", "the format of documents to read is --format, of every command"},
	{"--hash", "there is one hash function; --seed changes it"},
	{"--link", "probabilities: train with --calibrate"},
	{"--binary", "nbsvm score writes labels; --all-scores has the scores of both"},
	{"--nn", "there are no neural networks here"},
	{"--quadratic", "features are not crossed; n-grams are: --ngrams 1-2"},
	{"--ignore", "fields are chosen with --text-field and --label-field"},
	{"--normalized", "rows have unit length unless --no-normalize is given"},
	{"--progress_interval", "it is --progress json for a line a second"},
	{"--probabilities --proba", "scores are probabilities if the model was trained with --calibrate"},
	// LIBLINEAR, scikit-learn
	{"-s", "the solver is chosen with --model and --loss: -s 3 is --model svm --loss hinge, -s 1 and 2 are --model svm, -s 0 and 7 --model logistic; the others are not there"},
	{"-e --tolerance", "the tolerance is --tol, a relative duality gap"},
	{"-B", "the bias is --bias"},
	{"-v", "nbsvm cv --folds 5 reviews.tsv cross-validates; nbsvm version prints the version"},
	{"-w -w1 -w-1", "weights of classes are --class-weight pos=2,neg=1"},
	{"-C", "nbsvm cv --grid C=0.1,1,10 reviews.tsv looks for the best; a cost is --C"},
	{"--c", "did you mean --C, the cost?"},
	{"--random_state", "it is --seed"},
	{"--solver", "the solver is dual coordinate descent; --loss and --model choose what it solves"},
	{"--scoring", "nbsvm cv and eval have accuracy and F1, and AUC for two classes"},
	{"--param_grid", "nbsvm cv --grid C=0.1,1,10 reviews.tsv compares options"},
	{"--cost", "the cost is --C"},
	{"--sep", "columns are separated by --delimiter, labels of a document by --label-sep"},
	{"--text-column", "it is --text-field"},
	{"--label-column", "it is --label-field"},
	{"--min_df", "it is --min-df"},
	{"--max_df", "it is --max-df"},
	{"--class_weight", "it is --class-weight"},
	{"-k", "the number of classes to show is --top, of score"},
	{"-m --model_path", "the model is the first argument, without a flag: nbsvm score reviews.nbm new.txt; train names it with -o"},
	{"--test --validation", "documents to evaluate on are given with --valid, or to nbsvm eval reviews.nbm test.tsv"},
	{"--test_size", "nbsvm cv --folds 5 reviews.tsv cross-validates; documents to evaluate on are given with --valid"},
	{"--kernel", "models are linear, without a kernel; n-grams of higher orders say more: --ngrams 1-3"},
	{"--dual", "the solver works on the dual problem always"},
	{"--fit_intercept", "the bias is --bias, 0 for none"},
	{"--stop_words", "there is no list of words to leave out; --max-df leaves out n-grams of many documents"},
	{"--max_features", "buckets are 2^N, --bits N; --min-df leaves out n-grams of few documents"},
	{"--analyzer", "it is --tokenizer word or char"},
	{"--use_idf", "it is --values tfidf"},
	{"--sublinear_tf", "it is --sublinear-tf"},
	{"--verbose", "it is --quiet for less, --progress json for lines to read by a program"},
	{"--probability", "they are scores where the model has them: --model logistic, --loss logistic or --calibrate"},
	{"--cv", "nbsvm cv --folds 5 reviews.tsv cross-validates"},
}

// otherValues are values of flags that other programs call so.
var otherValues = []advised{
	{"--format=libsvm --format=liblinear --format=svm", "the format is called svmlight"},
	{"--format=json", "objects of JSON, one a line, are --format jsonl; jq -c '.[]' FILE makes lines of an array"},
	{"--format=ndjson", "objects of JSON, one a line, are --format jsonl"},
	{"--format=ft", "the format is called fasttext"},
	{"--format=txt --format=text", "labels and text are --format tsv or fasttext; text alone, for scoring, is --format lines"},
	{"--loss=squared_hinge", "it is --loss squared-hinge"},
	{"--loss=log --loss=log_loss", "it is --loss logistic"},
	{"--loss=softmax --loss=ova --loss=ns --loss=hs", "several classes are trained one against the rest: --loss logistic"},
	{"--model=lr --model=logreg", "it is --model logistic"},
	{"--model=liblinear", "it is --model svm or logistic"},
	{"--model=linearsvc", "it is --model svm"},
	{"--model=nb --model=naive-bayes", "naive Bayes is --model mnb, bnb or cnb"},
	{"--model=multinomial", "it is --model mnb"},
	{"--model=bernoulli", "it is --model bnb"},
}

// otherFlag is the advice for a flag of another program, which may be written with other separators, or be one
// letter with its value behind it.
func otherFlag(name string) string {
	if glued := regexp.MustCompile(`^-[a-zA-Z]-?[0-9.]+$`); glued.MatchString(name) && adviceOn(otherFlags, name) == "" {
		name = name[:2]
	}
	advice := adviceOn(otherFlags, name)
	if words, long := strings.CutPrefix(name, "--"); long && advice == "" {
		advice = cmp.Or(adviceOn(otherFlags, "--"+strings.ReplaceAll(words, "-", "_")), adviceOn(otherFlags, "--"+strings.ReplaceAll(words, "_", "-")))
	}
	if advice == "it is "+name {
		return ""
	}
	return advice
}

// otherPrograms is what to tell who calls nbsvm as one calls another program; empty if it does not look so.
func otherPrograms(args []string) string {
	if len(args) == 0 {
		return ""
	}
	if advice := adviceOn(otherCommands, args[0]); advice != "" {
		return fmt.Sprintf("there is no command %s; %s", args[0], advice)
	}
	for i := range args {
		name, value := flagValue(args, i)
		if args[0] == "export" && name == "--format" && slices.Contains([]string{"liblinear", "roaring"}, value) {
			return "--format is the format of documents to read; that of the output is --output-format " + value
		}
		if advice := otherFlag(name); advice != "" {
			if args[0] == "quantize" && (name == "-input" || name == "-output") {
				advice = "the model is the first argument: nbsvm quantize --bits 8 reviews.nbm -o small.nbm"
			}
			if name == "-i" && slices.Contains([]string{"train", "tune", "cv", "pack"}, args[0]) {
				advice = adviceOn(otherFlags, "-input")
			}
			return fmt.Sprintf("there is no flag %s; %s", name, advice)
		}
	}
	return ""
}

// otherWords is what to tell of the first flag that has the value of another program; empty if there is none.
func otherWords(args []string) string {
	for i := range args {
		name, value := flagValue(args, i)
		if advice := adviceOn(otherValues, name+"="+strings.ToLower(value)); advice != "" && (args[0] != "export" || name != "--format") {
			return fmt.Sprintf("%s has no %s; %s", name, value, advice)
		}
	}
	return ""
}

// flagValue is an argument as a flag, and the value that it has then.
func flagValue(args []string, i int) (name, value string) {
	name, value, is := strings.Cut(args[i], "=")
	if !is && i+1 < len(args) {
		value = args[i+1]
	}
	return name, value
}
