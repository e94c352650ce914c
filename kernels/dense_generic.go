package kernels

// The plain loops of float64 kernels that have assembly: see slots_generic.go.

func sum64(table []float64, idx []uint32) float64 {
	var l0, l1, l2, l3, l4, l5, l6, l7 float64
	for len(idx) >= 8 {
		g := idx[:8:8]
		l0 += table[g[0]]
		l1 += table[g[1]]
		l2 += table[g[2]]
		l3 += table[g[3]]
		l4 += table[g[4]]
		l5 += table[g[5]]
		l6 += table[g[6]]
		l7 += table[g[7]]
		idx = idx[8:]
	}
	switch len(idx) { // the rest: term k goes to lane k
	case 7:
		l6 += table[idx[6]]
		fallthrough
	case 6:
		l5 += table[idx[5]]
		fallthrough
	case 5:
		l4 += table[idx[4]]
		fallthrough
	case 4:
		l3 += table[idx[3]]
		fallthrough
	case 3:
		l2 += table[idx[2]]
		fallthrough
	case 2:
		l1 += table[idx[1]]
		fallthrough
	case 1:
		l0 += table[idx[0]]
	}
	return ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))
}

func add64(table []float64, idx []uint32, d float64) {
	for len(idx) >= 4 {
		g := idx[:4:4]
		table[g[0]] += d
		table[g[1]] += d
		table[g[2]] += d
		table[g[3]] += d
		idx = idx[4:]
	}
	for _, j := range idx {
		table[j] += d
	}
}
