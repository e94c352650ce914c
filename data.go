package nbsvm

import (
	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/matrix"
)

// Input names what to read, and how.
type Input = dataset.Input

// Progress says how far a stage of the work is.
type Progress = dataset.Progress

// ClassCount is a class and the number of its documents.
type ClassCount = dataset.ClassCount

// FeatureStats tell what became of the n-grams of a training set.
type FeatureStats = matrix.Stats

// PackOptions say how documents become rows of a packed corpus. Those of training
// (Options.Pack) make a corpus to train with these options on.
type PackOptions = dataset.Options

// PackReport tells what a packed corpus holds, or what came of packing it.
type PackReport = dataset.Report

// PackedInfo is what a packed corpus holds, and how it was made.
type PackedInfo = dataset.Info

// MergeOptions say how packed corpora become one.
type MergeOptions = dataset.MergeOptions

// DefaultPackMemory is 2 GiB.
const DefaultPackMemory = dataset.DefaultMemory

// Functions of packed corpora; see package dataset.
var (
	Pack                = dataset.Pack
	MergePacked         = dataset.Merge
	AppendPacked        = dataset.Append
	InspectPacked       = dataset.Inspect
	VerifyPacked        = dataset.Verify
	ExportPacked        = dataset.Export
	ExportPackedBitmaps = dataset.ExportBitmaps
	IsPacked            = dataset.IsPacked
)
