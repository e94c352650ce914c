//go:build (!amd64 && !arm64) || purego

// See vectors_none.go.
