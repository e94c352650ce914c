package metrics

// PathCounts add up how much of the wanted paths was predicted, for labels that are paths of a tree, such as
// sport/football. The zero value is empty. [Report.AddPaths] makes metrics of the counts.
type PathCounts struct {
	documents                 int64
	shared, wanted, predicted int64
	right, reached            []int64 // documents by depth less 1: with as many parts right; that want as many
}

// Add counts a document: the number of parts that its wanted and its predicted path have, 1 or more, and how many parts
// they share from the beginning. The paths sport/football and sport/tennis have 2 parts each and share 1.
func (c *PathCounts) Add(shared, wanted, predicted int) {
	c.documents++
	c.shared += int64(shared)
	c.wanted += int64(wanted)
	c.predicted += int64(predicted)
	for len(c.reached) < wanted {
		c.reached, c.right = append(c.reached, 0), append(c.right, 0)
	}
	for depth := range wanted {
		c.reached[depth]++
		if depth < shared {
			c.right[depth]++
		}
	}
}

// AddPaths sets the hierarchical metrics of the report. Counts of no documents set none.
func (r *Report) AddPaths(c *PathCounts) {
	if c == nil {
		return
	}
	if c.documents == 0 {
		return
	}
	precision, recall, f1 := precisionRecallF1(c.shared, c.predicted, c.wanted)
	distance := ratio(c.wanted+c.predicted-2*c.shared, c.documents)
	r.HierarchicalPrecision, r.HierarchicalRecall, r.HierarchicalF1, r.TreeDistance = &precision, &recall, &f1,
		&distance
	r.DepthAccuracy = make([]float64, len(c.reached))
	for depth, n := range c.reached {
		r.DepthAccuracy[depth] = ratio(c.right[depth], n)
	}
}
