package corpus

import (
	"bytes"

	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
	"github.com/seed-167f963f/nbsvm/internal/file/regular"
)

// Parquet is a Parquet file. The program nbsvm-parquet, which must be installed, reads it. Fields are text and label
// unless Input names others; dots descend into groups. A shard has whole row groups.
const Parquet Format = "parquet"

var parquetFormat = format{
	name: Parquet, extensions: []string{".parquet", ".pq"}, shape: "a Parquet file", fields: true,
	open: openProgram, program: recordstream.Program,
}

// How Parquet files begin: the magic bytes, and the type of the first page, or of the footer.
const parquetMagic = "PAR1\x15"

const (
	notParquet     = "does not begin as Parquet files do: it is something else, or damaged or encrypted; --format says what it is"
	innerParquet   = "is a Parquet file that was compressed as a whole, and it is read from its end: decompress it first, gzip -d or zstd -d %[1]s"
	convertParquet = "duckdb -c \"COPY (FROM '%[3]s') TO 'out.csv'\""
	parquetStream  = "is a Parquet file, which is read from its end, not from a pipe or an archive: save it as a file first"
)

// IsParquet reports whether a file is Parquet, by its name or else by its first bytes.
func IsParquet(path string) bool {
	return FormatOfName(path) == Parquet || bytes.HasPrefix(regular.Head(path), []byte(parquetMagic))
}
