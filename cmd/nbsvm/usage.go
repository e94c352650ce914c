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
func wrongUsage(err error) error {
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
		return fmt.Sprintf("--%s needs a value; %s", found[1], described(command, found[1]))
	}
	if found := flagAsValue.FindStringSubmatch(text); found != nil {
		return fmt.Sprintf("--%s needs a value; if %s is the value, write --%s=%s", found[1], found[2], found[1], found[2])
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
	if command == nil {
		text = strings.Replace(text, "unexpected argument", "there is no command", 1)
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

// ranges are what numbers must be, by flag, as the library words them.
var ranges = map[string]string{
	"C":                "from 1e-12 to 1e12",
	"alpha":            "from 1e-12 to 1e9",
	"beta":             "0, or from 1e-12 to 1",
	"bias":             "0 (none), or from 1e-6 to 1e6",
	"tol":              "a relative duality gap from 0 to below 1",
	"max-df":           "a share of the documents up to 1, or a number of them above 1",
	"min-df":           "1 document or more",
	"bits":             "8 to 30",
	"max-epochs":       "1 or more",
	"neighbours":       "from 1 to 1048576",
	"gamma":            "from 0 to 1",
	"hierarchy-beam":   "0 for all nodes, or a number of them",
	"hierarchy-stop":   "a probability from 0 to 1",
	"hold-out":         "0, or a share of the documents from 0.001 to 0.5",
	"rounds":           "from 1 to 100000",
	"depth":            "from 1 to 32",
	"rate":             "from 0.0001 to 1",
	"lambda":           "from 0 to 1e9",
	"min-gain":         "from 0 to 1e9",
	"min-child-weight": "from 0 to 1e9",
	"subsample":        "a share from 0.01 to 1",
	"colsample":        "a share from 0.01 to 1",
	"bins":             "from 1 to 255",
	"patience":         "1 or more",
	"names":            "0 or more",
	"seed":             "0 to 18446744073709551615",
	"max-record":       "1 to 1073741824",
	"threshold":        "a margin, or a probability from 0 to 1",
	"max-loss":         "0 or more",
	"folds":            "2 or more",
	"top":              "1 or more",
	"threads":          "1 to 1024, or 0 for all processors",
}

// inRange adds to an error in the value of a flag what it must be, if that is known.
func inRange(flag string, err error) error {
	if want := ranges[flag]; err != nil && want != "" {
		err = fmt.Errorf("%w; it must be %s", err, want)
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

// rawStrings makes the parser keep strings unchanged. File names may hold any bytes, which it would turn into UTF-8.
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
	what := "a number"
	switch value := target.Addr().Interface().(type) {
	case *time.Duration:
		what = "a time such as 30s or 5m"
		*value, err = time.ParseDuration(text)
	case *float64:
		*value, err = strconv.ParseFloat(text, 64)
	case *uint64:
		what = "a whole number from 0"
		*value, err = strconv.ParseUint(text, 0, 64)
	default:
		what = "a whole number"
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
	case strings.Contains(text, ",") && what == "a number":
		return fmt.Errorf("%q is not %s; write decimals with a point", text, what)
	}
	return fmt.Errorf("%q is not %s", text, what)
}
