// The generators of the package's assembly, apart so that its users don't download
// avo.
module github.com/seed-167f963f/nbsvm/internal/kernels/_asm

go 1.26.8

require github.com/mmcloughlin/avo v0.6.0

require (
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)
