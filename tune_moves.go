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
	features := []string{"word:1-2", "word:1-2,char:2-5", "word:1-3", "char-wb:2-5", "word:1-1"}
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
	most := []string{"word:1-2", "word:1-2,char:2-5", "word:1-3"}
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
	return variants(s, s.takes("C"), func(v *Setting, factor float64) { v.C *= factor }, 0.25, 0.5, 2, 4)
}

// moveNeighbours changes which documents vote, and how.
func moveNeighbours(s Setting, _ bool) []Setting {
	is := s.Kind == train.KNN
	return slices.Concat(
		variants(s, is, func(v *Setting, k int) { v.Neighbours = k }, 5, 10, 20, 30, 60, 100),
		variants(s, is, func(v *Setting, votes train.Votes) { v.Votes = votes }, train.VoteByCount, train.VoteBySimilarity),
		variants(s, is, func(v *Setting, similarity train.Similarity) {
			if v.Similarity == similarity {
				return
			}
			o := train.Options{Kind: train.KNN, Similarity: similarity}
			v.Similarity, v.Prenormalize = similarity, false
			v.Values, v.SublinearTF = o.DefaultValues()
		}, train.Cosine, train.BM25),
	)
}

// moveForm changes what else does not change which n-grams there are.
func moveForm(s Setting, multi bool) []Setting {
	return slices.Concat(
		variants(s, s.takes("alpha"), func(v *Setting, alpha float64) { v.Alpha = alpha }, 0.03, 0.1, 0.3, 1),
		variants(s, s.takes("beta"), func(v *Setting, beta float64) {
			if !v.AutoBeta || beta != v.Beta {
				v.Beta, v.AutoBeta = beta, false
			}
		}, 0.25, 0.5, 0.75, 1),
		variants(s, s.Kind.Online(), func(v *Setting, epochs int) { v.Epochs = epochs }, 3, 5, 10, 20, 40),
		variants(s, s.takes("gamma"), func(v *Setting, gamma float64) { v.Gamma = gamma }, 0, 0.1, 0.25, 0.5),
		variants(s, s.takes("rounds"), func(v *Setting, factor float64) {
			v.Trees.Rounds = min(max(int(float64(v.Trees.Rounds)*factor), 50), 2000)
		}, 0.5, 2),
		variants(s, s.takes("rate"), func(v *Setting, factor float64) {
			v.Trees.Rate = min(max(v.Trees.Rate*factor, 0.01), 1)
		}, 0.5, 2),
		variants(s, s.takes("lambda"), func(v *Setting, factor float64) {
			v.Trees.Lambda = min(max(v.Trees.Lambda*factor, 0.01), 100)
		}, 0.25, 4),
		variants(s, s.takes("depth"), func(v *Setting, depth int) { v.Trees.Depth = depth }, 2, 3, 4, 6, 8, 12),
		variants(s, s.takes("colsample"), func(v *Setting, share float64) { v.Trees.ColSample = share }, 0.3, 1),
		changed(s, s.takes("normalize-weights"), func(v *Setting) { v.NormalizeWeights = !v.NormalizeWeights }),
		changed(s, s.takes("normalize") && !s.Kind.Solved(), func(v *Setting) { v.Normalize = !v.Normalize }),
		variants(s, true, func(v *Setting, minDF int) { v.MinDF = minDF }, 1, 2, 3, 5),
		changed(s, s.takes("bias"), func(v *Setting) { v.Bias = 1 - v.Bias }),
		moveValues(s),
		changed(s, s.Kind == train.NBSVM, func(v *Setting) { v.Kind, v.Alpha, v.Beta, v.AutoBeta = train.SVM, 1, 1, true }),
		changed(s, s.Kind == train.Logistic, func(v *Setting) { v.Kind, v.Loss = train.NBSVM, "logistic" }),
		changed(s, s.Kind == train.SVM,
			func(v *Setting) { v.Kind, v.Alpha = train.NBSVM, 0.1 },
			func(v *Setting) { v.Kind = train.NBSVM }),
		changed(s, s.Kind.Solved() && s.Loss == "logistic", func(v *Setting) { v.Loss, v.C = "", v.C/8 }),
		changed(s, s.Kind.Solved() && s.Loss == "", func(v *Setting) { v.Loss, v.C = "logistic", v.C*8 }),
		changed(s, s.takes("class-weight") && !multi, func(v *Setting) { v.Balanced = !v.Balanced }),
	)
}

// moveValues changes the values of features. BM25 has an idf of its own, and cosines have no use for rows of unit
// length.
func moveValues(s Setting) []Setting {
	knn, bm25, binary := s.Kind == train.KNN, s.Similarity == train.BM25, s.Values == train.Binary
	return slices.Concat(
		changed(s, bm25,
			func(v *Setting) { v.Values, v.SublinearTF = train.Binary, false },
			func(v *Setting) { v.Values = train.Count }),
		changed(s, binary && !bm25, func(v *Setting) { v.Values, v.SublinearTF = train.TFIDF, true }),
		changed(s, binary && !knn, func(v *Setting) { v.Prenormalize = v.Prenormalize || !v.Kind.Solved() }),
		changed(s, !binary && !bm25,
			func(v *Setting) { v.Values, v.SublinearTF, v.Prenormalize = train.Binary, false, false },
			func(v *Setting) { v.SublinearTF = !v.SublinearTF }),
		changed(s, !binary && !knn, func(v *Setting) { v.Prenormalize = !v.Prenormalize }),
	)
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

// variants are a setting with each of several values, if it takes them.
func variants[V any](s Setting, takes bool, set func(*Setting, V), values ...V) (all []Setting) {
	for _, value := range values {
		v := s
		if set(&v, value); takes && v != s {
			all = append(all, v)
		}
	}
	return all
}

// changed are a setting with each of several changes, if these are possible.
func changed(s Setting, possible bool, changes ...func(*Setting)) []Setting {
	return variants(s, possible, func(v *Setting, change func(*Setting)) { change(v) }, changes...)
}
