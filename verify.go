package nbsvm

import (
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// Version of the library and the command. Models record which version made them.
const Version = "0.1.0"

// ModelSection is a section of a model file, or its header with the section table.
type ModelSection struct {
	Name string `json:"name"`
	// Offset and Length are in bytes.
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
	// Stored is the CRC-32C that the file records, and Computed that of its bytes; 0 if some of them are missing.
	Stored   uint32 `json:"stored"`
	Computed uint32 `json:"computed"`
	// Optional reports whether a reader that does not know the section may skip it.
	Optional bool `json:"optional"`
	// OK reports whether the section is complete and unchanged.
	OK bool `json:"ok"`
}

// VerifyModel checks the model file at path as Open does, and lists its header and sections with their checksums. With
// an error, it returns those that it could tell.
func VerifyModel(path string) ([]ModelSection, error) {
	sections, err := score.Verify(path)
	return convert(sections, func(s model.Section) ModelSection { return ModelSection(s) }), err
}
