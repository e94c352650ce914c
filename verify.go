package nbsvm

import (
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// Version of nbsvm, such as "1.0.0". Model files record the version that made them.
const Version = "1.0.0"

// ModelSection is a section of a model file; the header with the table of sections counts as one.
type ModelSection struct {
	Name string `json:"name"`
	// Offset and Length are the place of the section, in bytes.
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
	// Stored is the CRC-32C in the file, and Computed that of the section's bytes; 0 if some of them are missing.
	Stored   uint32 `json:"stored"`
	Computed uint32 `json:"computed"`
	// Optional reports whether versions that do not know the section may skip it.
	Optional bool `json:"optional"`
	// OK reports whether the section is complete and its checksum is right.
	OK bool `json:"ok"`
}

// VerifyModel checks the model file at path as [Open] does, and returns its sections with their checksums. If there is
// an error, it returns the sections that it could read.
func VerifyModel(path string) ([]ModelSection, error) {
	sections, err := score.Verify(path)
	return convert(sections, func(s model.Section) ModelSection { return ModelSection(s) }), err
}
