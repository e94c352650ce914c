package boost

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// The form of a forest in bytes, little-endian:
//
//	offset  size  content
//	0       4     version, 1
//	4       4     number of outputs K
//	8       4     number of trees T
//	12      4     number of nodes of all trees N
//	16      8·T   of every tree: output, number of nodes
//	…       16·N  of every node, tree by tree and level by level: column, or 2^32−1 for a leaf; threshold, or
//	              value of a leaf; gain, 0 of a leaf; cover. All but the column are 32-bit floating point
//
// The children of the splits of a tree follow each other in the order of their parents, behind the root.
const (
	formVersion = 1
	formHeader  = 16
	formTree    = 8
	formNode    = 16
	leafColumn  = math.MaxUint32
)

// AppendBinary appends the forest's form, in which column j has the number rowOf[j]; nil leaves columns as they are.
func (f *Forest) AppendBinary(dst []byte, rowOf []uint32) ([]byte, error) {
	nodes := 0
	for i := range f.Trees {
		nodes += len(f.Trees[i].Nodes)
	}
	if nodes > math.MaxInt32 || len(f.Trees) > math.MaxInt32 {
		return dst, fmt.Errorf("boost: %d trees with %d nodes are too many for the file format: train fewer rounds, or shallower trees", len(f.Trees), nodes)
	}
	le := binary.LittleEndian
	for _, n := range []int{formVersion, f.Outputs, len(f.Trees), nodes} {
		dst = le.AppendUint32(dst, uint32(n))
	}
	for i := range f.Trees {
		dst = le.AppendUint32(dst, uint32(f.Trees[i].Output))
		dst = le.AppendUint32(dst, uint32(len(f.Trees[i].Nodes)))
	}
	for i := range f.Trees {
		for _, n := range f.Trees[i].Nodes {
			column, number := n.Column, n.Threshold
			if n.Leaf() {
				column, number = leafColumn, n.Value
			} else if rowOf != nil {
				column = rowOf[column]
			}
			dst = le.AppendUint32(dst, column)
			for _, v := range []float32{number, n.Gain, n.Cover} {
				dst = le.AppendUint32(dst, math.Float32bits(v))
			}
		}
	}
	return dst, nil
}

// Decode reads the form of a forest whose columns are below columns. What it returns is safe to score with, whoever
// made the bytes.
func Decode(data []byte, outputs, columns int) (*Forest, error) {
	le := binary.LittleEndian
	if len(data) < formHeader {
		return nil, fmt.Errorf("boost: %d bytes are too few for trees", len(data))
	}
	if v := le.Uint32(data); v != formVersion {
		return nil, fmt.Errorf("boost: trees have version %d, but this program knows version %d", v, formVersion)
	}
	if k := le.Uint32(data[4:]); uint64(k) != uint64(outputs) {
		return nil, fmt.Errorf("boost: trees for %d outputs, but the model has %d", k, outputs)
	}
	trees, nodes := int64(le.Uint32(data[8:])), int64(le.Uint32(data[12:]))
	if want := formHeader + formTree*trees + formNode*nodes; int64(len(data)) != want {
		return nil, fmt.Errorf("boost: %d trees with %d nodes need %d bytes, but there are %d", trees, nodes, want, len(data))
	}
	f := &Forest{Outputs: outputs, Trees: make([]Tree, trees)}
	all := make([]Node, nodes)
	table, rest := data[formHeader:], data[formHeader+formTree*trees:]
	for i := range f.Trees {
		t := &f.Trees[i]
		output, n := le.Uint32(table[formTree*i:]), int64(le.Uint32(table[formTree*i+4:]))
		switch {
		case int64(output) >= int64(outputs):
			return nil, fmt.Errorf("boost: tree %d is for output %d of %d", i, output, outputs)
		case n < 1 || n > int64(len(all)):
			return nil, fmt.Errorf("boost: tree %d has %d nodes, but %d are left", i, n, len(all))
		}
		t.Output, t.Nodes = int(output), all[:n:n]
		if err := t.decode(rest[:formNode*n], columns); err != nil {
			return nil, fmt.Errorf("boost: tree %d: %w", i, err)
		}
		all, rest = all[n:], rest[formNode*n:]
	}
	if len(all) > 0 {
		return nil, fmt.Errorf("boost: %d nodes belong to no tree", len(all))
	}
	return f, nil
}

// decode reads the nodes of a tree.
func (t *Tree) decode(data []byte, columns int) error {
	le := binary.LittleEndian
	depth := make([]uint8, len(t.Nodes))
	next := 1 // of the children so far
	for i := range t.Nodes {
		n, b := &t.Nodes[i], data[formNode*i:]
		number := func(at int) float32 { return math.Float32frombits(le.Uint32(b[at:])) }
		n.Gain, n.Cover = number(8), number(12)
		switch {
		case i >= next:
			return fmt.Errorf("node %d has no parent", i)
		case !finite(number(4)) || !finite(n.Gain) || !finite(n.Cover) || n.Cover < 0:
			return fmt.Errorf("node %d has the numbers %v, %v and %v, which must be finite, the last not below 0", i, number(4), n.Gain, n.Cover)
		}
		column := le.Uint32(b)
		if column == leafColumn {
			n.Value = number(4)
			continue
		}
		switch {
		case int64(column) >= int64(columns):
			return fmt.Errorf("node %d splits on column %d of %d", i, column, columns)
		case next+2 > len(t.Nodes):
			return fmt.Errorf("node %d has no children", i)
		case depth[i] == MostDepth:
			return fmt.Errorf("node %d is deeper than %d splits", i, MostDepth)
		}
		n.Column, n.Threshold, n.Left = column, number(4), uint32(next)
		depth[next], depth[next+1] = depth[i]+1, depth[i]+1
		next += 2
	}
	if next != len(t.Nodes) {
		return errors.New("nodes are left over")
	}
	return nil
}

func finite(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }
