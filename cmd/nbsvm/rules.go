package main

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Tags of flags say what the parser does not know of:
//
//	min, max  the least and the largest number
//	values    the numbers that it takes, in words; without min, the library checks them
//	choices   the words that it takes, if the library checks them; for completion
//	needs     other flags, one of which must be given as well
//	not       other flags that contradict it
//	file      what happens to the file that it names, see usedFiles

// checkFlags refuses flags that break a rule of their tags, or have no value, mostly because a variable of the shell is
// not set.
func checkFlags(parsed *kong.Context) error {
	given, before := givenFlags(parsed), map[string]bool{}
	names := func(flag *kong.Flag, tag string) []string {
		if !flag.Tag.Has(tag) {
			return nil
		}
		return strings.Split(flag.Tag.Get(tag), ",")
	}
	for _, part := range parsed.Path {
		flag := part.Flag
		if flag == nil {
			continue
		}
		label := flag.Name == "label" || flag.Name == "class" // which may be empty
		if text := reflect.Indirect(flag.Target); text.Kind() == reflect.String && text.String() == "" && !label {
			return usageError{fmt.Errorf("--%s is empty; give %s, or leave the flag out", flag.Name, flag.FormatPlaceHolder())}
		}
		// The parser would take the last of two conditions, fields or outputs.
		if before[flag.Name] && flag.Target.Kind() == reflect.String && (flag.Group.Key == "output" || flag.Tag.Has("file")) {
			return usageError{fmt.Errorf("--%s is given twice, but takes only one %s", flag.Name, flag.FormatPlaceHolder())}
		}
		before[flag.Name] = true
		if off(flag) {
			continue
		}
		for _, other := range names(flag, "not") {
			if given[other] {
				return usageError{fmt.Errorf("%s and --%s contradict each other: leave one out", typed(flag), other)}
			}
		}
		if needs := names(flag, "needs"); needs != nil && !slices.ContainsFunc(needs, func(other string) bool { return given[other] }) {
			return usageError{fmt.Errorf("--%s needs --%s: give that as well, or leave --%[1]s out", flag.Name, strings.Join(needs, " or --"))}
		}
		if err := checkRange(flag, flag.Target); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// typed is a flag as it is typed.
func typed(flag *kong.Flag) string {
	if flag.Short != 0 {
		return "-" + string(flag.Short)
	}
	return "--" + flag.Name
}

// off tells whether a flag is switched off, as by --json=false, and so as good as not given. A switch that overrides a
// preset is a pointer, and is given all the same.
func off(flag *kong.Flag) bool { return flag.Target.Kind() == reflect.Bool && !flag.Target.Bool() }

// givenFlags are the names of the flags on the command line.
func givenFlags(parsed *kong.Context) map[string]bool {
	given := map[string]bool{}
	for _, part := range parsed.Path {
		if part.Flag != nil && !off(part.Flag) {
			given[part.Flag.Name] = true
		}
	}
	return given
}

// flagsAgain are the flags of some groups that the command line has, to be typed again.
func flagsAgain(parsed *kong.Context, groups ...string) (words []string) {
	done := map[string]bool{}
	for _, part := range parsed.Path {
		flag := part.Flag
		if flag == nil || off(flag) || done[flag.Name] || flag.Short == 'o' || !slices.Contains(groups, flag.Group.Key) {
			continue
		}
		done[flag.Name] = true
		value := reflect.Indirect(flag.Target)
		switch {
		case value.Kind() == reflect.Bool && value.Bool():
			words = append(words, "--"+flag.Name)
		case value.Kind() == reflect.Bool:
			words = append(words, "--no-"+flag.Name)
		case value.Kind() == reflect.Slice:
			for i := range value.Len() {
				words = append(words, fmt.Sprintf("--%s=%v", flag.Name, value.Index(i)))
			}
		default:
			words = append(words, fmt.Sprintf("--%s=%v", flag.Name, value))
		}
	}
	return words
}

// checkRange refuses numbers outside of what the tags of the flag say.
func checkRange(flag *kong.Flag, value reflect.Value) error {
	must := rangeOf(flag.Tag)
	if !flag.Tag.Has("min") {
		return nil
	}
	var x float64
	switch {
	case value.Kind() == reflect.Pointer:
		return checkRange(flag, value.Elem())
	case value.Kind() == reflect.Slice:
		for i := range value.Len() {
			if err := checkRange(flag, value.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case value.CanInt():
		x = float64(value.Int())
	default:
		x = value.Float()
	}
	least, _ := strconv.ParseFloat(flag.Tag.Get("min"), 64)
	most, err := strconv.ParseFloat(flag.Tag.Get("max"), 64)
	if x < least || err == nil && x > most {
		return fmt.Errorf("--%s must be %s, got %v", flag.Name, must, value)
	}
	return nil
}

// rangeOf is what the tags of a flag say of its numbers, empty for nothing.
func rangeOf(tag *kong.Tag) string {
	least, most := tag.Get("min"), tag.Get("max")
	switch {
	case least == "" || tag.Has("values"):
		return tag.Get("values")
	case most == "":
		return least + " or more"
	}
	return least + " to " + most
}

// numbers let the parser read numbers of flags as numeral does.
func numbers() kong.Option {
	decode := kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("number", &text); err != nil {
			return err
		}
		err := numeral(text, target)
		if must := rangeOf(ctx.Value.Tag); err != nil && must != "" {
			err = fmt.Errorf("%w; it must be %s", err, must)
		}
		return err
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

// numeral reads a number or a duration.
func numeral(text string, target reflect.Value) (err error) {
	what := "a number"
	switch value := target.Addr().Interface().(type) {
	case *time.Duration:
		what = "a time such as 30s or 5m"
		*value, err = time.ParseDuration(text)
	case *float64:
		*value, err = strconv.ParseFloat(text, 64)
		if err == nil && *value-*value != 0 { // an infinity, or no number
			err = strconv.ErrSyntax
		}
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
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%s is too large", text)
	}
	if err != nil {
		return fmt.Errorf("%q is not %s", text, what)
	}
	return nil
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

// wrongUsage is the parser's error in the command's words, with advice on where to read on.
func wrongUsage(err error) error {
	text, path := err.Error(), "nbsvm --help, or nbsvm COMMAND --help"
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context != nil && parse.Context.Selected() != nil {
		path = parse.Context.Selected().FullPath() + " --help"
	} else {
		text = strings.Replace(text, "unexpected argument", "there is no command", 1)
	}
	for _, r := range rewordings {
		text = r.parser.ReplaceAllString(text, r.ours)
	}
	return usageError{fmt.Errorf("%s\nTry %s", text, path)}
}

// rewordings turn what the parser says into what users of the command understand.
var rewordings = []struct {
	parser *regexp.Regexp
	ours   string
}{
	{regexp.MustCompile(`^--(\S+): expected \w+ value but got "EOL" \(<EOL>\)$`), "--$1 needs a value"},
	{regexp.MustCompile(`^--(\S+): expected \w+ value but got "(.*)" \((?:short |long )?flag\).*$`), "--$1 needs a value; if $2 is the value, write --$1=$2"},
	{regexp.MustCompile(`^missing flags: `), "missing "},
	{regexp.MustCompile(`^expected "(<.*>.*)"$`), "missing $1"},
	{regexp.MustCompile(`can't be used together$`), "can't be used together: leave one out"},
	{regexp.MustCompile(`^(unknown flag -\w), did you mean .*$`), "$1"},
}
