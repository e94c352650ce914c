package main

import (
	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
)

// expandPatterns puts files in the place of patterns in arguments that take any number of files to read: shells take
// only so many, and containers may have no shell.
func expandPatterns(parsed *kong.Context) {
	for node := parsed.Selected(); node != nil; node = node.Parent {
		for _, argument := range node.Positional {
			given, many := argument.Target.Addr().Interface().(*[]string)
			if !many || argument.Tag.Get("file") != readFile {
				continue
			}
			var all []string
			for _, path := range *given {
				all = append(all, outdir.Expand(path)...)
			}
			*given = all
		}
	}
}
