package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/seed-167f963f/nbsvm"
)

// manual is the command with which packages of nbsvm make their manual pages: of nbsvm and of each command.
func (g *grammar) manual() *cobra.Command {
	return &cobra.Command{
		Use: "man FOLDER", Short: "Write manual pages into a folder.", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			escape(g.root)
			return doc.GenManTree(g.root, &doc.GenManHeader{Section: "1", Source: "nbsvm " + nbsvm.Version, Manual: "nbsvm"}, args[0])
		},
	}
}

// escape keeps what stands in angle brackets from being taken for markup.
func escape(command *cobra.Command) {
	var lines []string
	for line := range strings.SplitSeq(command.Long, "\n") {
		if !strings.HasPrefix(line, "    ") { // examples are shown as they are
			line = strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`).Replace(line)
		}
		lines = append(lines, line)
	}
	command.Long = strings.Join(lines, "\n")
	for _, child := range command.Commands() {
		escape(child)
	}
}
