package corpus

// A document's weight is 0, or between these: where it is multiplied by costs, nothing may overflow or vanish.
const (
	LeastWeight = 1e-20
	MostWeight  = 1e+20
)

// Document is one record of a file.
type Document struct {
	// Labels in the order of the record; none where labels are not needed, or may
	// be missing, and the record has none.
	Labels [][]byte
	Text   []byte
	Kept   []Value // of the fields Input.ID, if that is given, and Input.Keep; none of a blank record
	Weight float32 // 1 unless the record says otherwise; 0, or from LeastWeight to MostWeight
	// Record is the record as it stands in the file, without its line terminator;
	// of one that is longer than Input.MaxRecord, the first KiB.
	Record []byte
	// EOL is the record's line terminator. The last record of a file may have none;
	// if other files follow, it counts as terminated by LF, so that records of
	// several files don't run together.
	EOL    string
	Line   int64 // where the record begins, from 1; 0 if unknown (Input.Shard)
	Offset int64 // where it begins, in bytes of the decompressed file
	Err    error // nil, or a *RecordError; Labels, Text and Kept are empty then
}

// Chunk is a run of whole records of one file. Its methods can be called from
// several goroutines at once, Release apart.
type Chunk struct {
	file    *file
	header  []byte
	records records // nil of a header
}

// contents are what a format makes of an open file.
type contents interface {
	// next is the next of the file's chunks, or io.EOF, or a *fileError.
	next() (records, error)
}

// records are what a chunk gives documents from. The methods are those of a Chunk.
type records interface {
	append(dst []Document) []Document
	release()
}

// Header is the file's header with its line terminator, and says whether the file
// begins in the shard that is read. Only the chunks that Input.Headers asks for have
// one; they hold no records.
func (c *Chunk) Header() (header []byte, begins bool) { return c.header, !c.file.outside }

// Path is the file's path, or "standard input".
func (c *Chunk) Path() string { return c.file.path }

// Format is the file's format. It is Auto only where a file is damaged before its format shows.
func (c *Chunk) Format() Format {
	if c.file.format == nil {
		return Auto
	}
	return c.file.format.name
}

// Append parses the chunk and appends its documents to dst, bad ones too. The
// slices of a document are views of the chunk, or of memory that belongs to the
// documents of this call; they may be kept until the chunk is released, but not
// written to.
func (c *Chunk) Append(dst []Document) []Document {
	if c.records == nil {
		return dst
	}
	return c.records.append(dst)
}

// Release says that neither the chunk nor any document of it is used any more, so that
// its memory can be read into again. It is for speed: a chunk that is not released is
// the garbage collector's. A second call does nothing.
func (c *Chunk) Release() {
	if c.records != nil {
		c.records.release()
		c.records = nil
	}
}
