// Command _asm writes the assembly of package kernels for amd64, one instruction set a file.
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"

	"github.com/seed-167f963f/nbsvm/internal/kernels/_asm/dense"
	"github.com/seed-167f963f/nbsvm/internal/kernels/_asm/groups"
	"github.com/seed-167f963f/nbsvm/internal/kernels/_asm/rows"
	"github.com/seed-167f963f/nbsvm/internal/kernels/_asm/strings"
	"github.com/seed-167f963f/nbsvm/internal/kernels/_asm/text"
)

func main() {
	set := flag.String("set", "", "instruction set: AVX2 or AVX512")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *set {
	case "AVX2":
		rows.AVX2()
		groups.AVX2()
		strings.AVX2()
		text.AVX2()
		dense.AVX2()
	case "AVX512":
		text.AVX512()
	default:
		log.Fatalf("no instruction set %q", *set)
	}
	Generate()
}
