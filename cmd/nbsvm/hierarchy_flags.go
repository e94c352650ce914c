package main

import (
	"errors"

	"github.com/seed-167f963f/nbsvm/internal/cli/choices"
)

// hierarchyFlags say that labels are paths of a tree, and how these are learned.
type hierarchyFlags struct {
	Hierarchy       *string  `group:"model" placeholder:"SEP" help:"Labels are paths of a tree, such as sport/football, whose parts SEP separates."`
	HierarchyMethod *string  `group:"model" name:"hierarchy-method" placeholder:"NAME" help:"sum: each node against all other documents; top-down: against its siblings (default: sum)."`
	HierarchyBeam   *int     `group:"model" name:"hierarchy-beam" placeholder:"N" help:"Find the best path from the N best nodes of each depth; 0 for all (default: ${hierarchy_beam})."`
	HierarchyStop   *float64 `group:"model" name:"hierarchy-stop" placeholder:"P" help:"Predict an inner node where no child on the best path has this share of its probability (default: ${hierarchy_stop})."`
}

// check refuses a separator that separates nothing.
func (f *hierarchyFlags) check() error {
	if f.Hierarchy != nil && *f.Hierarchy == "" {
		return usageError{errors.New("--hierarchy is empty: give what separates the parts of labels, such as /")}
	}
	return nil
}

// choose adds what is given.
func (f *hierarchyFlags) choose(c *choices.Choices) {
	c.Hierarchy, c.HierarchyMethod = f.Hierarchy, f.HierarchyMethod
	c.HierarchyBeam, c.HierarchyStop = f.HierarchyBeam, f.HierarchyStop
}
