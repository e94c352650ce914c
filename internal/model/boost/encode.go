package boost

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The form of a forest in bytes, little-endian:
//
//	offset  size  content
//	0       4     version, 1
//	4       4     number of outputs
//	8       4     number of trees: round by round, one for each output
//	12      16·N  of every node, tree by tree: column, or 2^32−1 for a leaf; threshold, or value of a leaf; gain, 0 of
//	              a leaf; cover. All but the column are 32-bit floating point
//
// Behind the root of a tree are its two children; then all below the left one, and then all below the right one, in the
// same order.
const (
	formVersion = 1
	formHeader  = 12
	formNode    = 16
	leafColumn  = math.MaxUint32
)

// AppendBinary appends the forest's form, in which column j has the number rowOf[j]; nil leaves columns as they are.
func (f *Forest) AppendBinary(dst []byte, rowOf []uint32) []byte {
	le := binary.LittleEndian
	for _, n := range []int{formVersion, f.Outputs, len(f.Trees)} {
		dst = le.AppendUint32(dst, uint32(n))
	}
	for _, t := range f.Trees {
		for _, n := range t.Nodes {
			column := n.Column
			if n.Leaf() {
				column = leafColumn
			} else if rowOf != nil {
				column = rowOf[column]
			}
			dst = le.AppendUint32(dst, column)
			for _, v := range []float32{n.Number, n.Gain, n.Cover} {
				dst = le.AppendUint32(dst, math.Float32bits(v))
			}
		}
	}
	return dst
}

// Decode reads the form of a forest whose columns are below columns. What it returns is safe to score with, whoever
// made the bytes.
func Decode(data []byte, outputs, columns int) (*Forest, error) {
	le := binary.LittleEndian
	if len(data) < formHeader {
		return nil, fmt.Errorf("boost: %d bytes are too few for trees", len(data))
	}
	version, k, trees, data := le.Uint32(data), int64(le.Uint32(data[4:])), int64(le.Uint32(data[8:])),
		data[formHeader:]
	switch {
	case version != formVersion:
		return nil, fmt.Errorf("boost: trees have version %d, but this program knows version %d", version, formVersion)
	case k != int64(outputs) || k == 0:
		return nil, fmt.Errorf("boost: trees for %d outputs, but the model has %d", k, outputs)
	case len(data)%formNode != 0 || trees > int64(len(data)/formNode) || trees%k != 0:
		return nil, fmt.Errorf("boost: %d trees for %d outputs can't have %d bytes", trees, k, len(data))
	}
	f, nodes := &Forest{Outputs: outputs, Trees: make([]Tree, trees)}, make([]Node, len(data)/formNode)
	for i := range f.Trees {
		d := decoder{data: data, nodes: nodes, columns: columns, next: 1}
		if err := d.decode(0, 0); err != nil {
			return nil, fmt.Errorf("boost: tree %d: %w", i, err)
		}
		f.Trees[i].Nodes = nodes[:d.next:d.next]
		nodes, data = nodes[d.next:], data[formNode*d.next:]
	}
	if len(nodes) > 0 {
		return nil, fmt.Errorf("boost: %d nodes belong to no tree", len(nodes))
	}
	return f, nil
}

// decoder reads a tree, which begins the nodes.
type decoder struct {
	data    []byte
	nodes   []Node
	columns int
	next    int // child
}

// decode reads a node and all below it.
func (d *decoder) decode(at, depth int) error {
	if at >= len(d.nodes) {
		return fmt.Errorf("node %d is missing", at)
	}
	n, b := &d.nodes[at], d.data[formNode*at:]
	column := binary.LittleEndian.Uint32(b)
	for k, to := range []*float32{&n.Number, &n.Gain, &n.Cover} {
		*to = math.Float32frombits(binary.LittleEndian.Uint32(b[4+4*k:]))
		if !finite(*to) || to == &n.Cover && *to < 0 {
			return fmt.Errorf("node %d has the number %v, which must be finite, and as a cover not below 0", at, *to)
		}
	}
	switch {
	case column == leafColumn:
		return nil
	case int64(column) >= int64(d.columns):
		return fmt.Errorf("node %d splits on column %d of %d", at, column, d.columns)
	case depth == MostDepth:
		return fmt.Errorf("node %d is deeper than %d splits", at, MostDepth)
	}
	n.Left, n.Column = uint32(d.next), column
	d.next += 2
	if err := d.decode(int(n.Left), depth+1); err != nil {
		return err
	}
	return d.decode(int(n.Left)+1, depth+1)
}

func finite(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }
