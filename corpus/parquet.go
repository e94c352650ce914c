package corpus

import (
	"io"
	"os"
)

// Parquet is a file of columns, which package recordstream's program nbsvm-parquet reads: a module of its own, parquet.
// Fields are text and label unless named; dots descend into groups. Records are rows; they are read with the row groups
// that they are in, which are what shards are made of.
const Parquet Format = "parquet"

// ParquetProgram reads and writes Parquet files.
const ParquetProgram = "nbsvm-parquet"

var parquetFormat = format{
	name: Parquet, extensions: []string{".parquet", ".pq"}, shape: "a Parquet file", fields: true,
	open: openProgram, program: ParquetProgram,
}

// How Parquet files begin: the magic bytes, and the type of the first page, or of the footer.
const parquetMagic = "PAR1\x15"

const (
	notParquet     = "does not begin as Parquet files do: it is something else, or damaged or encrypted; --format says what it is"
	innerParquet   = "is a Parquet file that was compressed as a whole, and it is read from its end: decompress it first, gzip -d or zstd -d %[1]s"
	convertParquet = "duckdb -c \"COPY (FROM '%[3]s') TO 'out.csv'\""
	parquetStream  = "is a Parquet file, which is read from its end, not from a pipe or an archive: save it as a file first"
)

// IsParquet tells whether a file is Parquet, by its name or else by its first bytes.
func IsParquet(path string) bool {
	if FormatOfName(path) == Parquet {
		return true
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [len(parquetMagic)]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == parquetMagic
}
