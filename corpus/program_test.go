package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// TestMain is the program that reads Parquet where a test has given the test's binary that name.
func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == parquetFormat.program {
		os.Exit(pretend(os.Args[len(os.Args)-1]))
	}
	os.Exit(m.Run())
}

// pretend does what the lines of a file say behind the magic bytes.
func pretend(path string) int {
	file, err := os.Open(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	lines := bufio.NewScanner(file)
	row := 0
	lines.Scan()
	if lines.Text() == parquetMagic+"other" {
		fmt.Print("something else, as if it were of another version")
		return 0
	}
	fmt.Print(recordstream.Magic)
	go func() {
		var none [1]byte
		os.Stdin.Read(none[:]) // until nbsvm closes it
		os.Exit(1)
	}()
	for lines.Scan() {
		what, rest, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "rows": // "rows label:text label:text …"
			rows := strings.Fields(rest)
			frame, at := recordstream.BeginColumn(make([]byte, recordstream.FrameHeader+recordstream.BlockHeader))
			for _, r := range rows {
				_, text, _ := strings.Cut(r, ":")
				frame = recordstream.AppendText(frame, text)
			}
			recordstream.EndColumn(frame, at)
			frame, at = recordstream.BeginColumn(frame)
			for _, r := range rows {
				label, _, _ := strings.Cut(r, ":")
				switch {
				case label == "":
					frame = recordstream.AppendNull(frame)
				case strings.Contains(label, "|"):
					labels := strings.Split(label, "|")
					frame = recordstream.AppendList(frame, len(labels))
					for _, l := range labels {
						frame = recordstream.AppendText(frame, l)
					}
				default:
					frame = recordstream.AppendText(frame, label)
				}
			}
			recordstream.EndColumn(frame, at)
			head := recordstream.Head{First: int64(row), Records: len(rows), RowGroup: 2, Done: int64(row)}
			head.Put(frame[recordstream.FrameHeader:])
			row += len(rows)
			recordstream.WriteFrame(os.Stdout, recordstream.Block, frame)
		case "refuse":
			recordstream.WriteText(os.Stdout, recordstream.Refusal, rest)
		case "fail":
			recordstream.WriteText(os.Stdout, recordstream.Failure, rest)
		case "damage":
			recordstream.WriteText(os.Stdout, recordstream.Damage, rest)
		case "end":
			recordstream.WriteText(os.Stdout, recordstream.End, "")
		case "write":
			fmt.Print(rest)
		case "die":
			fmt.Fprintln(os.Stderr, "nbsvm-parquet: "+rest)
			return 1
		case "panic":
			panic(rest)
		case "sleep":
			time.Sleep(time.Hour)
		}
	}
	return 0
}

// withProgram puts the test's binary into the path, under the name of the program that reads Parquet.
func withProgram(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	must.OK(t, err)
	folder := t.TempDir()
	name := parquetFormat.program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.Symlink(self, filepath.Join(folder, name)); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// parquetOf is a file that the pretended program is to read.
func parquetOf(t *testing.T, lines ...string) string {
	return writeFile(t, "a.parquet", parquetMagic+"\n"+strings.Join(lines, "\n")+"\n")
}

// readProgram reads what the pretended program hands on, and compares the documents in short, and the error of the last
// one, or of the reader.
func readProgram(t *testing.T, lines []string, o Input, want, wantErr string) {
	t.Helper()
	path := parquetOf(t, lines...)
	all, err := readWith([]string{path}, nil, o, chunkSize, chunkLimit)
	if got := brief(flatten(all)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if n := len(all); err == nil && n > 0 {
		err = all[n-1].Err
	}
	if err == nil != (wantErr == "") || err != nil && !(strings.Contains(err.Error(), wantErr) && strings.Contains(err.Error(), path)) {
		t.Errorf("error %v, want %q", err, wantErr)
	}
}

// TestProgram: what becomes of the records that a program hands on, and of programs that fail.
func TestProgram(t *testing.T) {
	withProgram(t)
	for _, test := range []struct {
		name  string
		lines []string
		o     Input
		want  string // documents in short
		err   string // within the error of the last document, or of the reader
	}{
		{"labelled", []string{"rows a:x b:y", "rows c:z", "end"}, Input{}, "a:x;b:y;c:z", ""},
		{"no label", []string{"rows a:x :y", "end"}, Input{}, "a:x;ERR", "row 2 (row group 3): no label"},
		{"no label is good", []string{"rows a:x :y", "end"}, Input{LabelSep: ","}, "a:x;:y", ""},
		{"unlabelled", []string{"rows :x", "end"}, Input{Unlabelled: true}, ":x", ""},
		{"lists", []string{"rows a|b:x c:y a,c:z", "end"}, Input{LabelSep: ","}, "a|b:x;c:y;a|c:z", ""},
		{"too long", []string{"rows a:xxxx b:y", "end"}, Input{MaxRecord: 2}, "a:xxxx;b:y", ""}, // the program cuts
		{"refused", []string{"refuse no column of that name"}, Input{}, "", "no column of that name"},
		{"damaged", []string{"rows a:x", "damage page 7 is torn"}, Input{}, "a:x", "a.parquet: from row 2 on: page 7 is torn"},
		{"unreadable", []string{"rows a:x", "fail input/output error"}, Input{}, "a:x", "a.parquet: input/output error"},
		{"dead", []string{"rows a:x", "die out of memory"}, Input{}, "a:x", "could not read on: out of memory"},
		{"panic", []string{"rows a:x", "panic index out of range"}, Input{}, "a:x", "panic: index out of range"},
		{"cut off", []string{"rows a:x"}, Input{}, "a:x", "could not read on: unexpected EOF"},
		{"garbage", []string{"rows a:x", "write Bxxxxxxxxxxxxxxxxxx"}, Input{}, "a:x", "could not read on"},
		{"unknown", []string{"write Q\x00\x00\x00\x00"}, Input{}, "", "install both of one version"},
		{"short block", []string{"write B\x01\x00\x00\x00x"}, Input{}, "", "is cut off"},
	} {
		t.Run(test.name, func(t *testing.T) {
			readProgram(t, test.lines, test.o, test.want, test.err)
		})
	}
	t.Run("another version", func(t *testing.T) {
		_, err := readWith([]string{writeFile(t, "a.parquet", parquetMagic+"other\n")}, nil, Input{}, chunkSize, chunkLimit)
		wantFileError(t, err, "its version is not nbsvm's", "install both")
	})
	t.Run("one of several", func(t *testing.T) {
		good, bad := parquetOf(t, "rows a:x", "end"), parquetOf(t, "rows b:y", "die now")
		all, err := readWith([]string{bad, good}, nil, Input{}, chunkSize, chunkLimit)
		wantDamage(t, all, err, bad, "now")
		if got := brief(flatten(all)); got != "b:y" {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// TestProgramInterrupted: a program that hangs ends with the reader, by Interrupt and by Close.
func TestProgramInterrupted(t *testing.T) {
	withProgram(t)
	path := parquetOf(t, "rows a:x", "sleep")
	open := func() *Reader {
		reader, err := Open(Input{Paths: []string{path}})
		must.OK(t, err)
		if _, err := reader.Next(); err != nil {
			t.Fatal(err)
		}
		return reader
	}
	reader := open()
	time.AfterFunc(50*time.Millisecond, reader.Interrupt)
	if _, err := reader.Next(); !errors.Is(err, errInterrupted) {
		t.Errorf("error %v", err)
	}
	reader.Close()
	if err := open().Close(); err != nil {
		t.Error(err)
	}
}

// TestProgramBlockOutOfStep: a block of which a field can't be read is damage, so that no record gets what belongs to
// another.
func TestProgramBlockOutOfStep(t *testing.T) {
	var texts, labels []byte
	texts = recordstream.AppendText(texts, "first")
	texts = recordstream.AppendText(recordstream.AppendList(recordstream.AppendList(texts, 1), 1), "nested")
	texts = recordstream.AppendText(texts, "third")
	for _, label := range []string{"a", "b", "c"} {
		labels = recordstream.AppendText(labels, label)
	}
	payload := make([]byte, recordstream.BlockHeader)
	recordstream.Head{Records: 3}.Put(payload)
	for _, column := range [][]byte{texts, labels} {
		var at int
		payload, at = recordstream.BeginColumn(payload)
		payload = append(payload, column...)
		recordstream.EndColumn(payload, at)
	}
	r := &programRecords{columns: 2, file: &file{format: &parquetFormat, o: &Input{}}}
	if _, err := r.block(payload, nil); err == nil {
		t.Error("the block is taken for good")
	}
}
