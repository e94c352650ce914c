package main

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// wrongUsage is the parser's error in the command's words, with advice on where to read on.
func wrongUsage(err error, args []string) error {
	if advice := otherPrograms(args); advice != "" {
		return usageError{errors.New(advice)}
	}
	node, path := (*kong.Node)(nil), "nbsvm --help, or nbsvm COMMAND --help"
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context != nil {
		if selected := parse.Context.Selected(); selected != nil {
			node, path = selected, selected.FullPath()+" --help"
		}
	}
	return usageError{fmt.Errorf("%s\nTry %s", reworded(err.Error(), node), path)}
}

var (
	noValue     = regexp.MustCompile(`^--(\S+): expected \w+ value but got "EOL" \(<EOL>\)$`)
	flagAsValue = regexp.MustCompile(`^--(\S+): expected \w+ value but got "(.*)" \((?:short |long )?flag\).*$`)
	noFlags     = regexp.MustCompile(`^missing flags: (.*)$`)
	noArguments = regexp.MustCompile(`^expected "(<.*>.*)"$`)
	exclusive   = regexp.MustCompile(`^--\S+ and --\S+ can't be used together$`)
	shortFlag   = regexp.MustCompile(`^(unknown flag -\w), did you mean .*$`)
)

// reworded says what the parser says as a user of the command, which may be nil, would.
func reworded(text string, command *kong.Node) string {
	if found := noValue.FindStringSubmatch(text); found != nil {
		return fmt.Sprintf("--%s has no value; want %s", found[1], described(command, found[1]))
	}
	if found := flagAsValue.FindStringSubmatch(text); found != nil {
		return fmt.Sprintf("--%s has no value: %s, which follows it, is a flag; if it is the value, write --%s=%s", found[1], found[2], found[1], found[2])
	}
	if found := noFlags.FindStringSubmatch(text); found != nil {
		var missing []string
		for flag := range strings.SplitSeq(found[1], ", ") {
			name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
			missing = append(missing, described(command, name))
		}
		return "missing " + strings.Join(missing, "\nmissing ")
	}
	if found := noArguments.FindStringSubmatch(text); found != nil && command != nil {
		for _, argument := range command.Positional {
			if strings.HasPrefix(found[1], "<"+argument.Name+">") {
				return "missing " + strings.ToUpper(argument.Name) + ": " + argument.Help
			}
		}
	}
	if exclusive.MatchString(text) {
		return text + ": leave one out"
	}
	return shortFlag.ReplaceAllString(text, "$1")
}

// described is a flag of a command with its help.
func described(command *kong.Node, name string) string {
	for ; command != nil; command = command.Parent {
		for _, flag := range command.Flags {
			if flag.Name != name {
				continue
			}
			if flag.Short != 0 {
				return fmt.Sprintf("-%c %s: %s", flag.Short, flag.FormatPlaceHolder(), flag.Help)
			}
			return fmt.Sprintf("--%s=%s: %s", name, flag.FormatPlaceHolder(), flag.Help)
		}
	}
	return "--" + name
}

// ranges are those of numbers, by flag, as the library words them.
var ranges = map[string]string{
	"C":                "a number from 1e-12 to 1e+12",
	"alpha":            "a number from 1e-12 to 1e+09",
	"beta":             "0, or a number from 1e-12 to 1",
	"bias":             "a number from 0 (none) to 1e6",
	"tol":              "a relative duality gap from 0 to below 1",
	"max-df":           "a share of the documents up to 1, or a number of them above 1",
	"min-df":           "1 or more documents",
	"bits":             "8 to 30",
	"max-epochs":       "at least 1",
	"neighbours":       "1 to 1048576",
	"gamma":            "a number from 0 to 1",
	"hierarchy-beam":   "0 for all nodes, or a number of them",
	"hierarchy-stop":   "a probability from 0 to 1",
	"hold-out":         "0, or a share of the documents from 0.001 to 0.5",
	"rounds":           "a number from 1 to 100000",
	"depth":            "a number from 1 to 32",
	"rate":             "a number from 0.0001 to 1",
	"lambda":           "a number from 0 to 1e+09",
	"min-gain":         "a number from 0 to 1e+09",
	"min-child-weight": "a number from 0 to 1e+09",
	"subsample":        "a share from 0.01 to 1",
	"colsample":        "a share from 0.01 to 1",
	"bins":             "a number from 1 to 255",
	"patience":         "1 or more",
	"names":            "0 or more",
	"seed":             "0 to 18446744073709551615",
	"max-record":       "1 to 1073741824 bytes",
	"threshold":        "a number: a margin, or a probability from 0 to 1",
	"max-loss":         "0 or more points of accuracy",
	"folds":            "2 or more",
	"top":              "1 or more",
	"threads":          "1 to 1024, or 0 for all processors",
}

// inRange adds to an error in the value of a flag what is wanted, if that is known.
func inRange(flag string, err error) error {
	if want := ranges[flag]; err != nil && want != "" {
		err = fmt.Errorf("%w; want %s", err, want)
	}
	return err
}

// numbers let the parser read numbers of flags as numeral does.
func numbers() kong.Option {
	decode := kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("number", &text); err != nil {
			return err
		}
		return inRange(ctx.Value.Name, numeral(text, target))
	})
	return kong.OptionFunc(func(k *kong.Kong) error {
		for _, kind := range []reflect.Kind{reflect.Int, reflect.Uint64, reflect.Float64} {
			if err := kong.KindMapper(kind, decode).Apply(k); err != nil {
				return err
			}
		}
		return kong.TypeMapper(reflect.TypeFor[time.Duration](), decode).Apply(k)
	})
}

// rawStrings lets the parser take texts as they are: names of files may hold any bytes, of which it would make UTF-8.
func rawStrings() kong.Option {
	return kong.KindMapper(reflect.String, kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		token, err := ctx.Scan.PopValue("string")
		if err != nil {
			return err
		}
		target.SetString(token.String())
		return nil
	}))
}

// numeral reads a number or a duration.
func numeral(text string, target reflect.Value) (err error) {
	what := "no number"
	switch value := target.Addr().Interface().(type) {
	case *time.Duration:
		what = "no time like 30s or 5m"
		*value, err = time.ParseDuration(text)
	case *float64:
		*value, err = strconv.ParseFloat(text, 64)
	case *uint64:
		what = "no whole number from 0"
		*value, err = strconv.ParseUint(text, 0, 64)
	default:
		what = "no whole number"
		var n int64
		if n, err = strconv.ParseInt(text, 0, strconv.IntSize); err == nil {
			target.SetInt(n)
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s is too large", text)
	case strings.Contains(text, ",") && what == "no number":
		return fmt.Errorf("%q is %s; decimals stand behind a point", text, what)
	}
	return fmt.Errorf("%q is %s", text, what)
}

// joinNegative makes "--C=-1" of "--C -1", which the parser takes for two flags.
func joinNegative(args []string) []string {
	var joined []string
	for i, arg := range args {
		if i > 0 && len(arg) > 1 && arg[0] == '-' && strings.HasPrefix(args[i-1], "--") && len(args[i-1]) > 2 && !strings.Contains(args[i-1], "=") {
			if _, err := strconv.ParseFloat(arg, 64); err == nil || errors.Is(err, strconv.ErrRange) {
				joined[len(joined)-1] += "=" + arg
				continue
			}
		}
		joined = append(joined, arg)
	}
	return joined
}
