package tune

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
)

// portfolioOf are the settings to begin with of some kinds of model; nil for those of portfolio.
func portfolioOf(base Setting, kinds []train.Kind, probabilities bool) []Setting {
	if kinds == nil {
		return portfolio(base, probabilities)
	}
	var settings []Setting
	for _, kind := range kinds {
		of := base
		if kind.Solved() {
			of = of.of(train.NBSVM) // which the portfolio begins with
		}
		known := slices.DeleteFunc(portfolio(of, probabilities), func(s Setting) bool { return s.Kind != kind })
		if !kind.Solved() || len(known) == 0 {
			known = plain(base.of(kind))
		}
		settings = append(settings, known...)
	}
	return settings
}

// plain are a setting, and it with tf-idf or without, with several kinds of n-grams each.
func plain(s Setting) (settings []Setting) {
	features := []string{"word:1-2", "word:1-2,char-wb:2-5", "word:1-3", "char-wb:2-5", "word:1-1"}
	if s.Features == "" {
		features = []string{""}
	}
	for _, features := range features {
		s.Features = features
		settings = append(settings, s)
	}
	for _, v := range slices.Clone(settings) {
		v.Values, v.SublinearTF = otherValues(v.Values)
		settings = append(settings, v)
	}
	return settings
}

// otherValues are tf-idf for binary values, and binary ones for others.
func otherValues(values train.Values) (other train.Values, sublinear bool) {
	if values == train.Binary {
		return train.TFIDF, true
	}
	return train.Binary, false
}

// portfolio are the settings to begin with. docs/explanation/defaults.md tells on what they were chosen.
func portfolio(base Setting, probabilities bool) []Setting {
	most := []string{"word:1-2", "word:1-2,char-wb:2-5", "word:1-3"}
	all := append(slices.Clone(most), "char-wb:2-5", "word:1-1")
	forms := []struct {
		features []string
		change   func(*Setting)
	}{
		{all, func(*Setting) {}},
		{all, tfidf},
		{most, func(s *Setting) { tfidf(s); s.Kind, s.Alpha = train.NBSVM, 0.1 }},
		{most, func(s *Setting) { s.Normalize, s.C, s.Beta, s.AutoBeta, s.Bias = false, 0.03, 1, false, 0 }},
	}
	if base.Features == "" { // where tf-idf may not be possible
		forms = append(forms, struct {
			features []string
			change   func(*Setting)
		}{most, func(s *Setting) { s.Kind = train.SVM }})
	}
	var settings []Setting
	for _, form := range forms {
		for _, features := range form.features {
			s := base
			if base.Features != "" {
				s.Features = features
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
func tfidf(s *Setting) {
	s.Kind, s.Values, s.SublinearTF = train.SVM, train.TFIDF, true
}

// logistic gives a setting probabilities.
func logistic(s *Setting) {
	if s.C *= 8; s.Kind == train.SVM {
		s.Kind = train.Logistic
	} else {
		s.Loss = "logistic"
	}
}

// kindOfMove is a respect in which a setting is changed.
type kindOfMove func(s Setting, multi bool) []Setting

// moves are the respects, in the order in which they are tried.
var moves = []kindOfMove{moveC, moveNeighbours, moveForm, moveFeatures}

// moveC changes the cost of errors.
func moveC(s Setting, _ bool) []Setting {
	if !s.takes("C") {
		return nil
	}
	return variants(s, func(v *Setting, factor float64) { v.C *= factor }, 0.25, 0.5, 2, 4)
}

// moveNeighbours changes which documents vote, and how.
func moveNeighbours(s Setting, _ bool) []Setting {
	if s.Kind != train.KNN {
		return nil
	}
	all := variants(s, func(v *Setting, k int) { v.Neighbours = k }, 5, 10, 20, 30, 60, 100)
	byVotes := func(v *Setting, votes train.Votes) { v.Votes = votes }
	all = append(all, variants(s, byVotes, train.VoteByCount, train.VoteBySimilarity)...)
	return append(all, variants(s, func(v *Setting, similarity train.Similarity) {
		if v.Similarity == similarity {
			return
		}
		o := train.Options{Kind: train.KNN, Similarity: similarity}
		v.Similarity, v.Prenormalize = similarity, false
		v.Values, v.SublinearTF = o.DefaultValues()
	}, train.Cosine, train.BM25)...)
}

// moveForm changes what else does not change which n-grams there are.
func moveForm(s Setting, multi bool) (all []Setting) {
	change := func(f func(*Setting)) {
		v := s
		if f(&v); v != s {
			all = append(all, v)
		}
	}
	if s.takes("alpha") {
		for _, alpha := range []float64{0.03, 0.1, 0.3, 1} {
			change(func(v *Setting) { v.Alpha = alpha })
		}
	}
	if s.takes("beta") {
		for _, beta := range []float64{0.25, 0.5, 0.75, 1} {
			if !s.AutoBeta || beta != s.Beta {
				change(func(v *Setting) { v.Beta, v.AutoBeta = beta, false })
			}
		}
	}
	if s.Kind.Online() {
		for _, epochs := range []int{3, 5, 10, 20, 40} {
			change(func(v *Setting) { v.Epochs = epochs })
		}
	}
	if s.takes("gamma") {
		for _, gamma := range []float64{0, 0.1, 0.25, 0.5} {
			change(func(v *Setting) { v.Gamma = gamma })
		}
	}
	if s.takes("rounds") {
		for _, factor := range []float64{0.5, 2} {
			change(func(v *Setting) { v.Trees.Rounds = min(max(int(float64(v.Trees.Rounds)*factor), 50), 2000) })
			change(func(v *Setting) { v.Trees.Rate = min(max(v.Trees.Rate*factor, 0.01), 1) })
			change(func(v *Setting) { v.Trees.Lambda = min(max(v.Trees.Lambda*factor*factor, 0.01), 100) })
		}
		for _, depth := range []int{2, 3, 4, 6, 8, 12} {
			change(func(v *Setting) { v.Trees.Depth = depth })
		}
		for _, share := range []float64{0.3, 1} {
			change(func(v *Setting) { v.Trees.ColSample = share })
		}
	}
	if s.takes("normalize-weights") {
		change(func(v *Setting) { v.NormalizeWeights = !v.NormalizeWeights })
	}
	if s.takes("normalize") && !s.Kind.Solved() {
		change(func(v *Setting) { v.Normalize = !v.Normalize })
	}
	for _, minDF := range []int{1, 2, 3, 5} {
		change(func(v *Setting) { v.MinDF = minDF })
	}
	if s.takes("bias") {
		change(func(v *Setting) { v.Bias = 1 - v.Bias })
	}
	switch {
	case s.Kind == train.KNN:
		moveValuesOfNeighbours(s, change)
	case s.Values == train.Binary:
		change(func(v *Setting) { v.Values, v.SublinearTF = train.TFIDF, true })
		change(func(v *Setting) { v.Prenormalize = v.Prenormalize || !v.Kind.Solved() })
	default:
		change(func(v *Setting) { v.Values, v.SublinearTF, v.Prenormalize = train.Binary, false, false })
		change(func(v *Setting) { v.SublinearTF = !v.SublinearTF })
		change(func(v *Setting) { v.Prenormalize = !v.Prenormalize })
	}
	switch s.Kind {
	case train.NBSVM:
		change(func(v *Setting) { v.Kind, v.Alpha, v.Beta, v.AutoBeta = train.SVM, 1, 1, true })
	case train.Logistic:
		change(func(v *Setting) { v.Kind, v.Loss = train.NBSVM, "logistic" })
	case train.SVM:
		change(func(v *Setting) { v.Kind, v.Alpha = train.NBSVM, 0.1 })
		change(func(v *Setting) { v.Kind = train.NBSVM })
	}
	switch {
	case !s.Kind.Solved():
	case s.Loss == "logistic":
		change(func(v *Setting) { v.Loss, v.C = "", v.C/8 })
	case s.Loss == "":
		change(func(v *Setting) { v.Loss, v.C = "logistic", v.C*8 })
	}
	if !multi && s.takes("class-weight") {
		change(func(v *Setting) { v.Balanced = !v.Balanced })
	}
	return all
}

// moveValuesOfNeighbours changes the values of a knn model. BM25 has an idf of its own, and cosines have no use for
// rows of unit length.
func moveValuesOfNeighbours(s Setting, change func(func(*Setting))) {
	switch {
	case s.Similarity == train.BM25:
		change(func(v *Setting) { v.Values, v.SublinearTF = train.Binary, false })
		change(func(v *Setting) { v.Values = train.Count })
	case s.Values == train.Binary:
		change(func(v *Setting) { v.Values, v.SublinearTF = train.TFIDF, true })
	default:
		change(func(v *Setting) { v.Values, v.SublinearTF = train.Binary, false })
		change(func(v *Setting) { v.SublinearTF = !v.SublinearTF })
	}
}

// moveFeatures changes which n-grams there are.
func moveFeatures(s Setting, _ bool) (all []Setting) {
	families, err := parseFeatures(s.Features)
	if err != nil || s.Features == "" {
		return nil
	}
	add := func(list ...hashing.Family) {
		text := formatFeatures(list)
		if text != s.Features && !slices.ContainsFunc(all, func(v Setting) bool { return v.Features == text }) {
			v := s
			v.Features = text
			all = append(all, v)
		}
	}
	for k, f := range families {
		longest := 3
		if f.Tokenizer.Characters() {
			longest = 6
		}
		replaced := func(f hashing.Family) []hashing.Family {
			list := slices.Clone(families)
			list[k] = f
			return list
		}
		if f.NgramHi < longest {
			add(replaced(hashing.Family{Tokenizer: f.Tokenizer, NgramLo: f.NgramLo, NgramHi: f.NgramHi + 1})...)
		}
		if f.NgramHi > f.NgramLo {
			add(replaced(hashing.Family{Tokenizer: f.Tokenizer, NgramLo: f.NgramLo, NgramHi: f.NgramHi - 1})...)
		}
		if f.Tokenizer.Characters() {
			if f.NgramLo > 1 {
				add(replaced(hashing.Family{Tokenizer: f.Tokenizer, NgramLo: f.NgramLo - 1, NgramHi: f.NgramHi})...)
			}
			if f.NgramLo < f.NgramHi {
				add(replaced(hashing.Family{Tokenizer: f.Tokenizer, NgramLo: f.NgramLo + 1, NgramHi: f.NgramHi})...)
			}
			other := hashing.Char
			if f.Tokenizer == hashing.Char {
				other = hashing.CharWB
			}
			add(replaced(hashing.Family{Tokenizer: other, NgramLo: f.NgramLo, NgramHi: f.NgramHi})...)
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

// variants are a setting with each of several values.
func variants[V any](s Setting, set func(*Setting, V), values ...V) (all []Setting) {
	for _, value := range values {
		v := s
		if set(&v, value); v != s {
			all = append(all, v)
		}
	}
	return all
}
