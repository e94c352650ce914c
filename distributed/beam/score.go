package nbsvmbeam

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// ScoreOptions say what [Score] makes of files, and where. Fields are those of the flags of nbsvm score, whose help
// tells what they mean; zero values are flags that are not given.
type ScoreOptions struct {
	Model      string   `arg:"" optional:"" help:"Model file; leave it out with --model."`
	Models     []string `name:"model" sep:"none" placeholder:"NAME=FILE" help:"Use this model, too: give --model for each of several models, instead of MODEL. Conditions, columns and members of JSON have their names."`
	OutDir     string   `required:"" placeholder:"FOLDER" help:"Write the output of every file to this folder; skip files that already exist."`
	Rejects    string   `needs:"where,keep-pareto" placeholder:"FOLDER" help:"Write the records that --where or --keep-pareto leaves out to this folder."`
	Attributes string   `needs:"where,keep-pareto,add-field" placeholder:"FOLDER" help:"Write rows of scores, of all records, to this folder, beside the records."`

	scoring.Options  // what is made: Where, AddField, OutputFormat, Label, Top, …
	scoring.Input    // how files are read: Format, TextField, OnBad, … There is no quarantine.
	scoring.BadFile  // what becomes of files that are damaged, or not what they should be
	scoring.Compress // How outputs are compressed, if not as their names say

	Threads int `placeholder:"N" help:"Threads for each file (default: as many as there are processors)."`
}

// validate finds what contradicts itself, and fills in defaults.
func (o *ScoreOptions) validate() error {
	o.How, o.OnBad, o.OnBadFile = cmp.Or(o.How, "auto"), cmp.Or(o.OnBad, "fail"), cmp.Or(o.OnBadFile, "fail")
	if _, _, err := o.models(); err != nil {
		return err
	}
	folders := slices.DeleteFunc([]string{o.OutDir, o.Rejects, o.Attributes}, func(folder string) bool { return folder == "" })
	for i := range folders {
		folders[i] = path.Clean(folders[i])
	}
	slices.Sort(folders)
	switch {
	case len(slices.Compact(slices.Clone(folders))) < len(folders):
		return errors.New("--out-dir, --rejects and --attributes must be folders of their own: their files have the same names")
	case o.OutDir == "":
		return errors.New("the folder for outputs is missing: name one")
	case o.OnBad.Quarantine() != "":
		return errors.New("--on-bad takes fail or skip here: pipelines have no quarantine")
	case o.OnBadFile != "fail" && o.OnBadFile != "skip":
		return fmt.Errorf("--on-bad-file must be fail or skip, got %q", o.OnBadFile)
	case o.KeepShare != nil:
		return errors.New("--keep-share needs the scores of all files, and workers have those of one: use nbsvm score")
	case o.Rejects != "" && !o.Filters():
		return errors.New("--rejects needs --where or --keep-pareto: it gets the records that do not pass")
	}
	if err := o.Validate(&o.Input, "", o.Attributes, false); err != nil {
		return err
	}
	read := o.readAs()
	return read.Validate()
}

// models returns the names of the models, of which a single one has none, and their files.
func (o *ScoreOptions) models() (names, files []string, err error) {
	for _, given := range o.Models {
		name, file, _ := strings.Cut(given, "=")
		if file == "" {
			return nil, nil, fmt.Errorf("--model %s: want NAME=FILE, such as quality=quality.nbm", given)
		}
		names, files = append(names, name), append(files, file)
	}
	return scoring.NameModels(o.Model, names, files)
}

// encode returns the options, which must be valid, for workers, which may be elsewhere and validate them again.
func (o ScoreOptions) encode() ([]byte, error) {
	valid := o
	if err := valid.validate(); err != nil {
		return nil, err
	}
	o.How, o.OnBad, o.OnBadFile = valid.How, valid.OnBad, valid.OnBadFile
	o.Format = corpus.Format(o.Format.String()) // as it is read again
	return json.Marshal(&o)
}

// readAs has the fields read that rows have of records.
func (o *ScoreOptions) readAs() corpus.Input {
	read := o.Input.From(nil, true)
	o.ReadFields(&read)
	return read
}

// output returns where the output of a file goes.
func (o *ScoreOptions) output(input string) string {
	return join(o.OutDir, o.OutputName(path.Base(input), &o.Compress))
}

func init() {
	register.DoFn4x1[context.Context, []byte, func(*string) bool, func(string), error](&beginFn{})
	register.DoFn2x1[context.Context, string, error](&scoreFn{})
	register.Emitter1[string]()
	register.Iter1[string]()
}

// Counters of a pipeline, in the namespace "nbsvm": files and records.
const (
	Written = "written" // files
	There   = "there"   // files whose output was there before
	Skipped = "skipped" // files that are bad, and were to be skipped
	Failed  = "failed"  // files without an output
	Records = "records" // of the files that were written
	Bad     = "bad"     // of these
)

func count(ctx context.Context, name string, n int64) { beam.NewCounter("nbsvm", name).Inc(ctx, n) }

// Score scores files, a collection of paths (string), and writes an output of each into the folder of the options. What
// became of them, counters tell. A path that is there twice is scored once; two of one name are an error, for their
// outputs would be one file.
//
// A file that is damaged or not what it is said to be fails alone, or is skipped if OnBadFile says so; the log has the
// reason. A file with a bad record, if those are not to be skipped, fails alone. The others are scored. An error of a
// file system fails the bundle, which runners try again.
func Score(s beam.Scope, paths beam.PCollection, o ScoreOptions) error {
	s = s.Scope("nbsvm.Score")
	encoded, err := o.encode()
	if err != nil {
		return err
	}
	begun := beam.ParDo(s.Scope("Begin"), &beginFn{encoded}, beam.Impulse(s), beam.SideInput{Input: paths})
	score(s, begun, encoded)
	return nil
}

// score scores each of the paths, once more if one comes again.
func score(s beam.Scope, paths beam.PCollection, encoded []byte) {
	beam.ParDo0(s.Scope("Make"), &scoreFn{Options: encoded}, beam.Reshuffle(s, paths))
}

// beginFn refuses what can't be done, before anything is, and makes sure that the folder of outputs is of this run. Of
// the paths, it gives each once.
type beginFn struct{ Options []byte }

// ProcessElement is called once, with all paths.
func (f *beginFn) ProcessElement(ctx context.Context, _ []byte, next func(*string) bool, emit func(string)) error {
	w, err := workerOf(ctx, f.Options) // so that the model is known to be one for these options
	if err != nil {
		return err
	}
	var given []string
	var input string
	for next(&input) {
		given = append(given, input)
	}
	if len(given) == 0 { // a runner may ask once more when the list has failed: then nothing is to be recorded
		return nil
	}
	slices.Sort(given)
	given = slices.Compact(given)
	outputs := map[string]string{}
	var folders []string
	for _, input := range given {
		folders = append(folders, path.Dir(path.Clean(input)))
		for _, folder := range []string{w.OutDir, w.Rejects, w.Attributes} {
			if path.Dir(path.Clean(input)) == path.Clean(cmp.Or(folder, w.OutDir)) {
				return fmt.Errorf("%s is in the folder %s, where outputs go: name another folder", input, folder)
			}
		}
		output := w.output(input)
		if other := outputs[output]; other != "" {
			return fmt.Errorf("the outputs of %s and %s would both be %s: use a folder for each", other, input, output)
		}
		outputs[output] = input
	}
	slices.Sort(folders)
	if err := w.claim(ctx, slices.Compact(folders), outputs); err != nil {
		return err
	}
	for _, input := range given {
		emit(input)
	}
	return nil
}

// RunName is the name of the file in the folder of outputs that tells of which run these are.
const RunName = ".nbsvm-run.json"

// runRecord is what that file holds.
type runRecord struct {
	outdir.Run
	// Folders are those of the inputs. One of another folder may have the name of one whose output is there.
	Folders []string `json:"folders"`
}

// claim writes of which run the outputs in the folder are, with the folders of their inputs, unless it is known: then
// that must be the same. Outputs without a record are refused.
func (w *worker) claim(ctx context.Context, folders []string, outputs map[string]string) error {
	file := join(w.OutDir, RunName)
	_, err := stat(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		found, err := list(ctx, join(w.OutDir, "*")) // to look at each takes long in a bucket
		if err != nil && !isLocal(w.OutDir) {
			return err
		}
		for _, output := range found {
			if outputs[output] != "" {
				return fmt.Errorf("%s exists, but not %s, which records the run: name another folder, or remove the file",
					output, file)
			}
		}
		o, err := create(ctx, file)
		if err != nil {
			return err
		}
		defer o.abort()
		if err := json.NewEncoder(o).Encode(runRecord{w.run, folders}); err != nil {
			return err
		}
		return o.commit()
	}
	if err != nil {
		return err
	}
	text, err := readFile(ctx, file)
	if err != nil {
		return err
	}
	var theirs runRecord
	if err := json.Unmarshal(text, &theirs); err != nil {
		return fmt.Errorf("%s is damaged: remove it and the files in its folder, or name another folder", file)
	}
	if what := theirs.Differs(&w.run); what != "" {
		return fmt.Errorf("--out-dir %s has files of another run: %s; name another folder, or remove this one", w.OutDir, what)
	}
	for _, folder := range folders {
		if !slices.Contains(theirs.Folders, folder) {
			return fmt.Errorf("--out-dir %s has the outputs of inputs in other folders than %s: name another folder", w.OutDir, folder)
		}
	}
	return nil
}

// scoreFn scores files.
type scoreFn struct {
	Options []byte
	worker  *worker
}

// Setup loads the model, once in a process.
func (f *scoreFn) Setup(ctx context.Context) (err error) {
	f.worker, err = workerOf(ctx, f.Options)
	return err
}

// ProcessElement scores a file, unless its output is there. An error is one that another attempt may not meet, as of a
// file system. With any other the file fails alone, or is skipped.
func (f *scoreFn) ProcessElement(ctx context.Context, input string) error {
	err := f.worker.score(ctx, input)
	number, system := errors.AsType[syscall.Errno](err)
	_, elsewhere := errors.AsType[systemError](err)
	switch {
	case err == nil:
		return nil
	case system && !number.Is(fs.ErrPermission) || elsewhere || ctx.Err() != nil:
		return fmt.Errorf("%s: %w", input, err)
	case f.worker.PassOver(err):
		count(ctx, Skipped, 1)
	default:
		count(ctx, Failed, 1)
	}
	reason := err.Error()
	if !strings.Contains(reason, input) {
		reason = input + ": " + reason
	}
	log.Warn(ctx, reason)
	return nil
}

// worker is what a process has of a job, once: bundles are many, and several at a time.
type worker struct {
	ScoreOptions
	models []scoring.Model
	run    outdir.Run
}

// workers are those of this process, by their encoded options.
var workers struct {
	sync.Mutex
	of map[string]*worker
}

// workerOf returns the process's worker for the options, whose model is loaded when it is asked for first. An error is
// not remembered: the next bundle tries again.
func workerOf(ctx context.Context, encoded []byte) (*worker, error) {
	workers.Lock()
	defer workers.Unlock()
	if known := workers.of[string(encoded)]; known != nil {
		return known, nil
	}
	w := &worker{}
	if err := cmp.Or(json.Unmarshal(encoded, &w.ScoreOptions), w.validate()); err != nil {
		return nil, err
	}
	if err := w.open(ctx); err != nil {
		w.close()
		return nil, err
	}
	if workers.of == nil {
		workers.of = map[string]*worker{}
	}
	workers.of[string(encoded)] = w
	return w, nil
}

// open loads the models, and makes sure that they are for these options.
func (w *worker) open(ctx context.Context) error {
	names, files, err := w.ScoreOptions.models()
	if err != nil {
		return err
	}
	var all [][]byte
	for i, file := range files {
		model, err := readFile(ctx, file)
		if err != nil {
			return err
		}
		classifier, err := nbsvm.OpenBytes(model)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		all, w.models = append(all, model), append(w.models, scoring.Model{Name: names[i], Classifier: classifier})
	}
	options := w.Options.Recorded(&w.Input)
	for name, folder := range map[string]string{"rejects": w.Rejects, "attributes": w.Attributes} {
		if folder != "" {
			options[name] = outdir.AnyFolder
		}
	}
	if len(w.Models) > 0 {
		options["model"] = strings.Join(names, ",") // in this order
	}
	if w.run, err = outdir.RunOf(strings.Join(files, ", "), bytes.NewReader(bytes.Join(all, nil)), options); err != nil {
		return err
	}
	if err := scoring.Restrict(w.models, w.Labels); err != nil {
		return err
	}
	_, err = scoring.New(w.models, &w.Options) // of each file there is one of its own
	return err
}

// close closes the models.
func (w *worker) close() {
	for _, m := range w.models {
		m.Close()
	}
}

// score makes the output of a file, its rejects and its attributes. The output takes its name last: where it is, all is.
func (w *worker) score(ctx context.Context, input string) error {
	file := w.output(input)
	read, err := stat(ctx, input)
	if err != nil {
		return err
	}
	switch there, err := stat(ctx, file); {
	case err == nil && there.ModTime().Before(read.ModTime()):
		return fmt.Errorf("%s has changed since %s was written: remove that file to write it again", input, file)
	case err == nil:
		count(ctx, There, 1)
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	in := w.readAs()
	if !isLocal(input) {
		in.Files = files{ctx}
	}
	in.Paths, in.RecordReading = []string{input}, true
	if err := cmp.Or(w.CheckInput(input, &w.Compress), w.Check(path.Base(file))); err != nil {
		return cmp.Or(scoring.Unreadable(in), err) // what is wrong with the file itself says more
	}
	if in.Bad, err = corpus.NewBadRecords(w.OnBad, messages{ctx}); err != nil {
		return err
	}
	defer in.Bad.Close(false)
	making, err := scoring.New(w.models, &w.Options)
	if err != nil {
		return err
	}
	var all []*output
	defer func() {
		for _, o := range all {
			o.abort()
		}
	}()
	begin := func(file string) (*scoring.Output, error) {
		o, err := create(ctx, file)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
		return w.To(o, path.Base(file)), nil
	}
	var beside scoring.Beside
	if w.Rejects != "" {
		if beside.Rejects, err = begin(join(w.Rejects, w.Name(path.Base(input)))); err != nil {
			return err
		}
	}
	if w.Attributes != "" {
		if beside.Attributes, err = begin(join(w.Attributes, w.RowsName(path.Base(input), &w.Compress))); err != nil {
			return err
		}
	}
	to, err := begin(file)
	if err != nil {
		return err
	}
	stats, err := making.Write(ctx, making.Input(in), nbsvm.ScoreOptions{Threads: w.Threads}, *to, beside)
	if err != nil {
		return err
	}
	for _, o := range all {
		if err := o.commit(); err != nil {
			return err
		}
	}
	count(ctx, Written, 1)
	count(ctx, Records, stats.Documents)
	count(ctx, Bad, stats.Bad)
	return nil
}

// messages are lines that go to the runner's log.
type messages struct{ ctx context.Context }

func (m messages) Write(line []byte) (int, error) {
	log.Warn(m.ctx, strings.TrimRight(string(line), "\n"))
	return len(line), nil
}
