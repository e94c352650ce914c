package nbsvm

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// portfolioOf returns the first settings to try of some kinds of model; nil stands for those of portfolio.
func portfolioOf(base TuneSetting, kinds []Kind, probabilities bool) []TuneSetting {
	if kinds == nil {
		return portfolio(base, probabilities)
	}
	var settings []TuneSetting
	for _, kind := range kinds {
		of := base
		if kind.Solved() {
			of = of.of(NBSVM) // which the portfolio begins with
		}
		known := slices.DeleteFunc(portfolio(of, probabilities), func(s TuneSetting) bool { return s.Kind != kind })
		if !kind.Solved() || len(known) == 0 {
			known = plain(base.of(kind))
		}
		settings = append(settings, known...)
	}
	return settings
}

// plain returns a setting, and it with tf-idf or without, with several kinds of n-grams each.
func plain(s TuneSetting) (settings []TuneSetting) {
	ngrams := []string{"word:1-2", "word:1-2,char-wb:2-5", "word:1-3", "char-wb:2-5", "word:1-1"}
	if s.Ngrams == "" {
		ngrams = []string{""}
	}
	for _, ngrams := range ngrams {
		s.Ngrams = ngrams
		settings = append(settings, s)
	}
	for _, v := range slices.Clone(settings) {
		v.Values = v.otherValues()
		settings = append(settings, v)
	}
	return settings
}

// otherValues returns tf-idf where values tell presence, and such values where they count.
func (s *TuneSetting) otherValues() Values {
	if !s.Values.counted() {
		return LogTFIDF
	}
	return s.presence()
}

// presence returns the values that tell presence and suit the kind of model.
func (s *TuneSetting) presence() Values {
	if s.Kind.traits().values == ByWord {
		return ByWord
	}
	return Binary
}

// portfolio returns the first settings to try. docs/explanation/defaults.md says which data they were chosen on.
func portfolio(base TuneSetting, probabilities bool) []TuneSetting {
	most := []string{"word:1-2", "word:1-2,char-wb:2-5", "word:1-3"}
	all := append(slices.Clone(most), "char-wb:2-5", "word:1-1")
	forms := []struct {
		ngrams []string
		change func(*TuneSetting)
	}{
		{all, func(*TuneSetting) {}},
		{all, tfidf},
		{most, func(s *TuneSetting) { tfidf(s); s.Kind, s.Alpha = NBSVM, 0.1 }},
		{most, func(s *TuneSetting) { s.Normalize, s.C, s.Beta, s.Bias = false, 0.03, 1, 0 }},
	}
	if base.Ngrams == "" { // where tf-idf may not be possible
		forms = append(forms, struct {
			ngrams []string
			change func(*TuneSetting)
		}{most, func(s *TuneSetting) { s.Kind, s.Values = SVM, Binary }})
	}
	var settings []TuneSetting
	for _, form := range forms {
		for _, ngrams := range form.ngrams {
			s := base
			if base.Ngrams != "" {
				s.Ngrams = ngrams
			}
			if form.change(&s); probabilities {
				logistic(&s)
			}
			if !slices.Contains(settings, s) {
				settings = append(settings, s)
			}
		}
	}
	return settings
}

// tfidf makes a setting a linear SVM of tf-idf.
func tfidf(s *TuneSetting) {
	s.Kind, s.Values = SVM, LogTFIDF
}

// logistic gives a setting probabilities.
func logistic(s *TuneSetting) {
	if s.C *= 8; s.Kind == SVM {
		s.Kind = Logistic
	} else {
		s.Loss = "logistic"
	}
}

// kindOfMove is a respect in which a setting is changed, for a task, see dataset.Classes.
type kindOfMove func(s TuneSetting, task string) []TuneSetting

// moves are the respects, in the order in which they are tried.
var moves = []kindOfMove{moveC, moveNeighbours, moveForm, moveNgrams}

// moveC changes the cost of errors.
func moveC(s TuneSetting, _ string) []TuneSetting {
	return variants(s, s.Kind.takes("C"), func(v *TuneSetting, factor float64) { v.C *= factor }, 0.25, 0.5, 2, 4)
}

// moveNeighbours changes how many documents vote.
func moveNeighbours(s TuneSetting, _ string) []TuneSetting {
	return variants(s, s.Kind == KNN, func(v *TuneSetting, k int) { v.Neighbours = k }, 5, 10, 20, 30, 60, 100)
}

// squared is the loss of squared errors.
const squared = "squared-epsilon-insensitive"

// moveForm changes other options that keep the n-grams.
func moveForm(s TuneSetting, task string) []TuneSetting {
	return slices.Concat(
		variants(s, s.Kind.takes("alpha"), func(v *TuneSetting, alpha float64) { v.Alpha = alpha }, 0.03, 0.1, 0.3, 1),
		variants(s, s.Kind.takes("beta") && task == "binary", func(v *TuneSetting, beta float64) {
			if v.Beta > 0 || beta != betaOfTwo {
				v.Beta = beta
			}
		}, 0.25, 0.5, 0.75, 1),
		variants(s, s.Kind.Online(), func(v *TuneSetting, epochs int) { v.Epochs = epochs }, 3, 5, 10, 20, 40),
		variants(s, s.Kind.takes("rounds"), func(v *TuneSetting, factor float64) {
			v.Trees.Rounds = min(max(int(float64(v.Trees.Rounds)*factor), 50), 2000)
		}, 0.5, 2),
		variants(s, s.Kind.takes("rate"), func(v *TuneSetting, factor float64) {
			v.Trees.Rate = min(max(v.Trees.Rate*factor, 0.01), 1)
		}, 0.5, 2),
		variants(s, s.Kind.takes("depth"), func(v *TuneSetting, depth int) { v.Trees.Depth = depth }, 2, 3, 4, 6, 8, 12),
		changed(s, s.Kind.takes("normalize") && !s.Kind.Solved(), func(v *TuneSetting) { v.Normalize = !v.Normalize }),
		variants(s, true, func(v *TuneSetting, minDF int) { v.MinDF = minDF }, 1, 2, 3, 5),
		changed(s, s.Kind.takes("bias") && s.Kind != Ordinal, func(v *TuneSetting) { v.Bias = 1 - v.Bias }),
		moveValues(s),
		changed(s, s.Kind == NBSVM, func(v *TuneSetting) { v.Kind, v.Alpha, v.Beta = SVM, 1, 0 }),
		changed(s, s.Kind == Logistic, func(v *TuneSetting) { v.Kind, v.Loss = NBSVM, "logistic" }),
		changed(s, s.Kind == SVM,
			func(v *TuneSetting) { v.Kind, v.Alpha = NBSVM, 0.1 },
			func(v *TuneSetting) { v.Kind = NBSVM }),
		changed(s, s.Kind == NBSVR && s.Loss == "", func(v *TuneSetting) { v.Loss, v.C = squared, v.C/8 }),
		changed(s, s.Kind == NBSVR && s.Loss == squared,
			func(v *TuneSetting) { v.Loss, v.C = "", v.C*8 },
			func(v *TuneSetting) { v.Kind, v.Loss, v.Alpha = SVR, "", 1 }),
		changed(s, s.Kind == SVR && s.Loss == "", func(v *TuneSetting) { v.Kind, v.Loss = NBSVR, squared }),
		changed(s, s.Kind.Solved() && s.Loss == "logistic", func(v *TuneSetting) { v.Loss, v.C = "", v.C/8 }),
		changed(s, s.Kind.Solved() && !s.Kind.Numbers() && s.Loss == "", func(v *TuneSetting) { v.Loss, v.C = "logistic", v.C*8 }),
		changed(s, s.Kind.takes("class-weight") && task != "multilabel", func(v *TuneSetting) { v.Balanced = !v.Balanced }),
	)
}

// moveValues changes the values of features. Cosines have no use for rows of unit length.
func moveValues(s TuneSetting) []TuneSetting {
	logged := map[Values]Values{Count: LogCount, LogCount: Count, TFIDF: LogTFIDF, LogTFIDF: TFIDF}
	knn, binary := s.Kind == KNN, !s.Values.counted()
	return slices.Concat(
		changed(s, binary, func(v *TuneSetting) { v.Values = LogTFIDF }),
		changed(s, binary && !knn, func(v *TuneSetting) { v.Prenormalize = v.Prenormalize || !v.Kind.Solved() }),
		changed(s, !binary,
			func(v *TuneSetting) { v.Values, v.Prenormalize = v.presence(), false },
			func(v *TuneSetting) { v.Values = logged[v.Values] }),
		changed(s, !binary && !knn, func(v *TuneSetting) { v.Prenormalize = !v.Prenormalize }),
	)
}

// moveNgrams changes which n-grams there are.
func moveNgrams(s TuneSetting, _ string) (all []TuneSetting) {
	families, err := parseFamilies(s.Ngrams)
	if err != nil || s.Ngrams == "" {
		return nil
	}
	add := func(list ...hashing.Family) {
		text := formatFamilies(list)
		if text != s.Ngrams && !slices.ContainsFunc(all, func(v TuneSetting) bool { return v.Ngrams == text }) {
			v := s
			v.Ngrams = text
			all = append(all, v)
		}
	}
	for k, f := range families {
		longest, lo, hi := 3, f.NgramLo, f.NgramHi
		if f.Tokenizer.Characters() {
			longest = 6
		}
		replace := func(tokenizer hashing.Tokenizer, lo, hi int) {
			if lo >= 1 && lo <= hi && hi <= max(longest, f.NgramHi) {
				list := slices.Clone(families)
				list[k] = hashing.Family{Tokenizer: tokenizer, NgramLo: lo, NgramHi: hi}
				add(list...)
			}
		}
		replace(f.Tokenizer, lo, hi+1)
		replace(f.Tokenizer, lo, hi-1)
		if f.Tokenizer.Characters() {
			replace(f.Tokenizer, lo-1, hi)
			replace(f.Tokenizer, lo+1, hi)
			other := hashing.Char
			if f.Tokenizer == hashing.Char {
				other = hashing.CharWB
			}
			replace(other, lo, hi)
		}
		if len(families) > 1 {
			add(slices.Delete(slices.Clone(families), k, k+1)...)
		}
	}
	if len(families) == 1 {
		if families[0].Tokenizer.Characters() {
			add(hashing.Family{Tokenizer: hashing.Word, NgramLo: 1, NgramHi: 2}, families[0])
		} else {
			add(families[0], hashing.Family{Tokenizer: hashing.CharWB, NgramLo: 2, NgramHi: 5})
		}
	}
	return all
}

// variants returns a setting with each of several values, if it takes them.
func variants[V any](s TuneSetting, takes bool, set func(*TuneSetting, V), values ...V) (all []TuneSetting) {
	for _, value := range values {
		v := s
		if set(&v, value); takes && v != s {
			all = append(all, v)
		}
	}
	return all
}

// changed returns a setting with each of several changes, if these are possible.
func changed(s TuneSetting, possible bool, changes ...func(*TuneSetting)) []TuneSetting {
	return variants(s, possible, func(v *TuneSetting, change func(*TuneSetting)) { change(v) }, changes...)
}
