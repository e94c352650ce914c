package packed

import "fmt"

// defect is what can be wrong with a packed corpus, and what to do about it.
type defect struct{ what, advice string }

var (
	notCorpus    = defect{"not a packed corpus", "give a file that nbsvm pack has written"}
	newerVersion = defect{"of a newer format", "update nbsvm"}
	truncated    = defect{"truncated", "copy the file again, or pack again"}
	badChecksum  = defect{"checksum does not match", "the file is damaged: copy it again, or pack again"}
	corrupt      = defect{"contradicts itself", "the file is damaged, or not made by nbsvm: pack again"}
)

// fileError tells what is wrong with a packed corpus, and where.
type fileError struct {
	path   string
	part   string // HEADER, FOOTER, TABLE, BLOCK n, or the name of a section
	offset int64  // from the beginning of the file
	defect defect
	detail string
}

func (e *fileError) Error() string {
	path := ""
	if e.path != "" {
		path = e.path + ": "
	}
	return fmt.Sprintf("packed: %s%s at byte %d: %s: %s: %s",
		path, e.part, e.offset, e.defect.what, e.detail, e.defect.advice)
}

func fault(part string, offset int64, d defect, format string, args ...any) *fileError {
	return &fileError{part: part, offset: offset, defect: d, detail: fmt.Sprintf(format, args...)}
}
