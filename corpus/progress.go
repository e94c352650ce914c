package corpus

// Progress says how far a stage of the work on an input is.
type Progress struct {
	// Stage is read, count, layout, names, hold out, resume, plan, solve or folds.
	Stage string
	// Done and Total are in the stage's unit; Total is -1 if it is unknown.
	Done, Total int64
	// Unit is bytes, classes or epochs.
	Unit string
	// Documents is the number of documents read so far, and Text the bytes of their text. Files may have more bytes
	// or, if they are compressed, fewer.
	Documents, Text int64
	// Bad are the bad records among those read so far, by what is wrong with them. It must not be changed.
	Bad Reasons
	// Detail describes the work, such as the gap and the epoch of a solution under way.
	Detail string
}

// ClassCount is a class and the number of its documents.
type ClassCount struct {
	Label     string `json:"label"`
	Documents uint64 `json:"documents"`
}
