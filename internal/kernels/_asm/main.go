// Command _asm writes the assembly of package kernels for amd64.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"

	"github.com/seed-167f963f/nbsvm/internal/kernels/_asm/dense"
	"github.com/seed-167f963f/nbsvm/internal/kernels/_asm/groups"
	"github.com/seed-167f963f/nbsvm/internal/kernels/_asm/rows"
	"github.com/seed-167f963f/nbsvm/internal/kernels/_asm/strings"
	"github.com/seed-167f963f/nbsvm/internal/kernels/_asm/text"
)

func main() {
	flag.Parse()
	ConstraintExpr("!purego")
	rows.AVX2()
	groups.AVX2()
	strings.AVX2()
	text.AVX2()
	dense.AVX2()
	Generate()
}
