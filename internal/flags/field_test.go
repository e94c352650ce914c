package flags

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// upper is a value that parses itself.
type upper string

func (u *upper) UnmarshalText(text []byte) error {
	*u = upper(strings.ToUpper(string(text)))
	return nil
}

type embedded struct {
	Quiet bool `short:"q" help:"Print nothing."`
}

type example struct {
	Model  string   `arg:"" help:"Model file."`
	Inputs []string `arg:"" optional:"" help:"Files."`

	Output    string        `file:"out" short:"o" required:"" group:"output" placeholder:"FILE" help:"Output."`
	Folds     int           `min:"2" max:"9" default:"5" placeholder:"K" help:"Folds (default: 5)."`
	Rates     []float64     `min:"0" placeholder:"X" help:"Rates."`
	Wait      time.Duration `placeholder:"TIME" help:"Time."`
	Seed      *uint64       `placeholder:"N" help:"Seed."`
	Case      upper         `placeholder:"TEXT" help:"Text."`
	How       string        `enum:"all,none" placeholder:"HOW" help:"How."`
	LowerCase *bool         `negatable:"" help:"Lower case."`
	Names     []string      `sep:"none" placeholder:"NAME" help:"Names."`
	Only      string        `not:"how" needs:"seed,wait" placeholder:"X" help:"Only."`
	Label     string        `placeholder:"LABEL" help:"Label of ${what}."`

	embedded `group:"run"`
}

// parsed parses a command line as nbsvm does.
func parsed(line ...string) (of example, fields []*Field, err error) {
	fields = Fields(&of, strings.NewReplacer("${what}", "a class").Replace)
	command := &cobra.Command{Use: "x"}
	Add(command.Flags(), fields)
	if err = command.Flags().Parse(line); err != nil {
		return of, fields, Wrong(command, err)
	}
	if err = Arguments(fields, command.Flags().Args()); err == nil {
		err = Check(fields)
	}
	return of, fields, err
}

func TestValues(t *testing.T) {
	seed, no := uint64(1<<64-1), false
	of, fields, err := parsed("m.nbm", "a", "b", "-o", "out", "--folds=9", "--rates", "0,0.5", "--rates=2", "--wait", "3s", "--seed", "18446744073709551615",
		"--case", "ab", "--how", "all", "--no-lower-case", "--names", "a,b", "--names", "c", "--label=", "-q")
	want := example{
		Model: "m.nbm", Inputs: []string{"a", "b"}, Output: "out", Folds: 9, Rates: []float64{0, 0.5, 2}, Wait: 3 * time.Second, Seed: &seed,
		Case: "AB", How: "all", LowerCase: &no, Names: []string{"a,b", "c"}, embedded: embedded{Quiet: true},
	}
	if err != nil || !reflect.DeepEqual(of, want) {
		t.Errorf("%v\n got %+v\nwant %+v", err, of, want)
	}
	again := "--output=out --folds=9 --rates=0 --rates=0.5 --rates=2 --wait=3s --seed=18446744073709551615 --case=AB --how=all --no-lower-case " +
		"--names=a,b --names=c --label= --quiet"
	if got := strings.Join(Again(fields), " "); got != again {
		t.Errorf("again %s\nwant  %s", got, again)
	}
	if got := Usage("train", fields); got != "train MODEL [INPUTS...] -o FILE" {
		t.Errorf("usage %s", got)
	}
	for _, f := range fields {
		if f.Name == "quiet" && f.Group != "run" || f.Name == "label" && f.Help != "Label of a class." {
			t.Errorf("%+v", f)
		}
	}
	if of, _, err := parsed("m", "-o", "x"); err != nil || of.Folds != 5 || of.Seed != nil {
		t.Errorf("defaults: %+v, %v", of, err)
	}
}

func TestRefused(t *testing.T) {
	for line, want := range map[string]string{
		"":                                   "missing MODEL: Model file.",
		"m":                                  "missing --output=FILE",
		"m -o x --folds=1":                   "--folds must be 2 to 9, got 1",
		"m -o x --folds=x":                   `--folds: "x" is not a valid whole number; it must be 2 to 9`,
		"m -o x --rates 1,-1":                "--rates must be 0 or more, got -1",
		"m -o x --rates NaN":                 `--rates: "NaN" is not a valid number; it must be 0 or more`,
		"m -o x --wait 5":                    `--wait: "5" is not a time such as 30s or 5m`,
		"m -o x --how some":                  `--how must be one of all, none, got "some"`,
		"m -o x --quiet=maybe":               `--quiet must be true or false, got "maybe"`,
		"m -o x --no-lower-case=":            `--no-lower-case must be true or false, got ""`,
		"m -o x --how=":                      "--how is empty; give HOW, or leave the flag out",
		"m -o x -o y":                        "--output is given twice, but takes only one FILE",
		"m -o --quiet":                       `--output: "--quiet" looks like a flag: give FILE, or write ./--quiet if it is meant`,
		"m -o x --how --quiet":               `--how: "--quiet" looks like a flag: give HOW`,
		"m -o x --how":                       "--how needs a value",
		"m -o x --only y":                    "--only needs --seed or --wait: give that as well, or leave --only out",
		"m -o x --seed 1 --only y --how all": "--only and --how contradict each other: leave one out",
		"m -o x --fold 3":                    "unknown flag: --fold; did you mean --folds?",
		"m -o x --nothing":                   "unknown flag: --nothing",
	} {
		if _, _, err := parsed(strings.Fields(line)...); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	if err := Arguments(Fields(new(struct{ embedded }), strings.Clone), []string{"more"}); err == nil || err.Error() != `unexpected argument "more"` {
		t.Error(err)
	}
	var flags pflag.FlagSet
	Add(&flags, Fields(new(example), strings.Clone))
	if flags.Lookup("no-lower-case") == nil || flags.Lookup("model") != nil {
		t.Error("a switch has no negation, or an argument is a flag")
	}
}
