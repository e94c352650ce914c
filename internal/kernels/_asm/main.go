// Command _asm writes the assembly of package kernels for amd64.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	flag.Parse()
	ConstraintExpr("!purego")
	writeRows()
	writeGroups()
	writeText()
	mulMatrix()
	dotTiles()
	Generate()
}
