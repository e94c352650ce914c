package corpus

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/doubt"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Folder is a folder with a folder for each class, in which each file is a document, as scikit-learn's load_files reads
// them. A folder without folders is one class, of its own name, and has no label if labels are not needed. Classes and
// files are in the order of their names; hidden ones are left out. Documents are read as if they were JSON lines with
// the fields path, which is relative to the folder, label and text.
const Folder Format = "folder"

var folderFormat = format{
	name: Folder, as: JSONL, shape: "a folder with a folder for each class, and in it a file for each document",
	fields: true,
	parse:  (*parser).jsonl,
}

func init() { folderFormat.open = openFolder } // which looks for other formats

// folder reads the files of a folder.
type folder struct {
	r      *Reader
	file   *file
	names  []string // of the files to read, below the folder
	class  string   // of files that are in no folder of a class; empty for none
	text   []byte   // room for a file
	times  uint64   // a checksum of names, sizes and times of the files read
	before *uint64  // that of an earlier reading; nil if nothing is read twice, 0 for the first time
}

// openFolder lists the files of a folder.
func openFolder(r *Reader, p *peeker) (contents, error) {
	if p != nil {
		return nil, p.refuse("is a file, and Input.Format folder is for folders: leave it out")
	}
	f := &folder{r: r, file: r.file}
	if r.again != nil {
		f.before = &r.again.files[len(r.again.in.Paths)-len(r.paths)-1].times
	}
	return f, f.list()
}

// at returns the path of a file.
func (f *folder) at(name string) string {
	if f.r.o.Files != nil {
		return path.Join(f.file.path, name)
	}
	return filepath.Join(f.file.path, filepath.FromSlash(name))
}

// entries returns the names of the folders and of the files in a folder, but for hidden ones.
func (f *folder) entries(in string) (folders, files []string, err error) {
	read, stat := os.ReadDir, os.Stat
	if fsys := f.r.o.Files; fsys != nil {
		read = func(name string) ([]fs.DirEntry, error) { return fs.ReadDir(fsys, name) }
		stat = func(name string) (fs.FileInfo, error) { return fs.Stat(fsys, name) }
	}
	all, err := read(f.at(in))
	if err != nil {
		return nil, nil, &FileError{Path: f.at(in), Err: cause(err)}
	}
	for _, entry := range all {
		name, isFolder := path.Join(in, entry.Name()), entry.IsDir()
		if entry.Type()&fs.ModeSymlink != 0 {
			info, err := stat(f.at(name))
			if err != nil {
				return nil, nil, &FileError{
					Path: f.at(name),
					Err:  fmt.Errorf("is a link that leads nowhere, %w: remove it", cause(err)),
				}
			}
			isFolder = info.IsDir()
		}
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case isFolder:
			folders = append(folders, name)
		default:
			files = append(files, name)
		}
	}
	return folders, files, nil
}

// list finds the files of all classes. It refuses a folder of other files than documents.
func (f *folder) list() error {
	var others, full []string // files and folders that are left out, and classes
	classes, files, err := f.entries("")
	if err != nil {
		return err
	}
	what := ""
	if len(classes) == 0 {
		f.names, what = files, "each of its files is one"
		if whole, err := filepath.Abs(f.file.path); err == nil && !f.r.o.Unlabelled {
			f.class = filepath.Base(whole)
			what += fmt.Sprintf(", of the class %s", display.Name(f.class))
		}
	} else {
		others = files
	}
	for _, class := range classes {
		folders, files, err := f.entries(class)
		if err != nil {
			return err
		}
		if len(folders) > 0 {
			return refuse(f.at(folders[0]), fmt.Errorf("is a folder in the folder of a class, which has files only: "+
				"name the folder of which the folders are classes, such as %s", f.at(class)))
		}
		if len(files) == 0 {
			others = append(others, class)
		} else {
			full = append(full, class)
		}
		f.names = append(f.names, files...)
	}
	if len(others) > 0 {
		f.file.note("leaves out what is in no folder of a class, or an empty one: %s", display.Excerpts(others))
	}
	if what == "" {
		what = fmt.Sprintf("its folders are classes, %s, and each file in them is a document", display.Excerpts(full))
	}
	switch {
	case len(f.names) == 0:
		return refuse(f.file.path,
			errors.New("is a folder without documents: name a folder that has a folder for each class, or files"))
	case f.r.o.Format == Folder:
		return nil
	}
	f.file.note("is read as a folder of documents: %s (%s in all); if their lines are documents, name the files",
		what, display.Some(int64(len(f.names)), "file"))
	return f.guard()
}

// guard refuses a folder whose files hold many documents each, by their names.
func (f *folder) guard() error {
	for _, name := range f.names {
		if of := formatByName(name, false); of != nil {
			return refuse(f.file.path, fmt.Errorf("is a folder: name the files in it, '%s' (%s is named as %s; Input.Format folder insists that each file is one document)",
				f.at(path.Join(path.Dir(name), "*")), f.at(name), of.name))
		}
	}
	return nil
}

// next returns about a mebibyte of documents.
func (f *folder) next() (records, error) {
	memory := newBuffer(&f.r.spare, f.r.block, true)
	data := memory.room[:0]
	var all pieces
	var ends []int
	for len(f.names) > 0 && len(all) < f.r.limit && len(data) < f.r.block {
		name := f.names[0]
		f.names = f.names[1:]
		text, bad, err := f.read(name)
		if err != nil {
			memory.release()
			return nil, err
		}
		of := *f.file
		of.path = f.at(name)
		data = f.appendRecord(data, name, text)
		all, ends = append(all, &piece{file: &of, line: 1, records: 1, err: bad}), append(ends, len(data))
	}
	if cap(data) > len(memory.room) {
		memory.release()
		memory = nil // append has moved them
	}
	start := 0
	for i, p := range all {
		if p.data = data[start:ends[i]:ends[i]]; p.err != nil {
			p.data = trimEOL(p.data)
		}
		p.memory, start = memory, ends[i]
		memory.share()
	}
	memory.release()
	if len(all) > 0 {
		return all, nil
	}
	if f.before != nil && *f.before != 0 && *f.before != f.times {
		return nil, &FileError{Path: f.file.path, Err: errChanged}
	} else if f.before != nil {
		*f.before = f.times
	}
	return nil, io.EOF
}

// recordStart is what the record of a file begins with.
const recordStart = `{"path":`

// appendRecord appends a document as a line of JSON. Bytes that are not UTF-8 stay as they are.
func (f *folder) appendRecord(dst []byte, name string, text []byte) []byte {
	dst = appendBytes(append(dst, recordStart...), []byte(name))
	class := path.Dir(name)
	if class == "." {
		class = f.class
	}
	if class != "" {
		dst = appendBytes(append(dst, `,"label":`...), []byte(class))
	}
	return append(appendBytes(append(dst, `,"text":`...), text), "}\n"...)
}

// appendBytes appends text as a JSON string.
func appendBytes(dst, text []byte) []byte {
	for dst = append(dst, '"'); ; {
		n := kernels.PlainPrefix(text)
		if dst = append(dst, text[:n]...); n == len(text) {
			return append(dst, '"')
		}
		escaped := display.AppendJSON(nil, text[n:n+1])
		dst, text = append(dst, escaped[1:len(escaped)-1]...), text[n+1:]
	}
}

// read returns the text of a file, decompressed and without a byte order mark. bad says why it is no text. The result
// is overwritten by the next.
func (f *folder) read(name string) (text []byte, bad, err error) {
	defer func() {
		if _, of := errors.AsType[*FileError](err); err != nil && !of {
			err = &FileError{Path: f.at(name), Err: cause(err)}
		}
	}()
	if f.r.interrupted.Err() != nil {
		return nil, nil, errInterrupted
	}
	var file fs.File
	if f.r.o.Files != nil {
		file, err = f.r.o.Files.Open(f.at(name))
	} else {
		file, err = osfile.OpenRegular(f.at(name))
	}
	if errors.Is(err, osfile.ErrNotRegular) {
		err = errors.Unwrap(err) // without the path
	}
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	sum := fnv.New64a()
	fmt.Fprintf(sum, "%d %s %d %d", f.times, name, info.Size(), info.ModTime().UnixNano())
	f.times = sum.Sum64()
	most := int64(f.r.o.maxRecord()) + 1
	room := bytes.NewBuffer(f.text[:0])
	_, err = room.ReadFrom(io.LimitReader(file, most))
	f.text = room.Bytes()
	f.r.done.Add(int64(len(f.text)))
	if n := int64(len(f.text)); err == nil && n < min(info.Size(), most) {
		err = errTruncated
	}
	text = f.text
	if kind := magicOf(text); err == nil && kind != nil && kind.open != nil {
		z, opening := kind.open(bufio.NewReader(bytes.NewReader(text)))
		if err = opening; err == nil {
			text, err = io.ReadAll(io.LimitReader(z, most))
			z.Close()
		}
		if err != nil {
			err = fmt.Errorf("the %s data cannot be read: %w", kind.kind, err)
			err = &FileError{Path: f.at(name), Damaged: true, Err: err}
		}
	}
	if err != nil {
		return nil, nil, err
	}
	text = bytes.TrimPrefix(text, []byte(bom))
	var letters doubt.Text
	letters.Add(text, 1)
	why := cmp.Or(checkText(text, f.at(name)), doubt.CheckWide(text, f.at(name)))
	if refusal := binaryLine(text); why == nil && refusal != "" {
		why = errors.New(named(refusal, f.at(name)))
	}
	if why = cmp.Or(why, letters.Check(text, f.at(name))); why != nil {
		bad = &fault{reason: notText, err: why}
	}
	return text, bad, nil
}

// pieces are the documents of several files.
type pieces []*piece

func (all pieces) append(dst []Document) []Document {
	dst = slices.Grow(dst, len(all))
	for _, p := range all {
		dst = p.append(dst)
	}
	return dst
}

func (all pieces) first(bytes int) (documents []Document, raw []byte) {
	for _, p := range all {
		if bytes -= len(p.data); bytes < 0 && documents != nil {
			break
		}
		documents = p.append(documents)
	}
	return documents, nil
}

func (all pieces) size() (n int64) {
	for _, one := range all {
		n += one.size()
	}
	return n
}

func (all pieces) release() {
	for _, p := range all {
		p.release()
	}
}
