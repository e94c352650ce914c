package main

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
		// A value of "" may have a name, such as auto of --format.
		if text := reflect.Indirect(flag.Target); text.Kind() == reflect.String && fmt.Sprint(text) == "" && !label {
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

// checkRange refuses what is no number, and numbers outside of what the tags of the flag say.
func checkRange(flag *kong.Flag, value reflect.Value) error {
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
	case value.CanFloat():
		if x = value.Float(); x-x != 0 { // an infinity, or no number
			return fmt.Errorf("--%s: %s", flag.Name, wrongValue(flag, fmt.Sprintf("%q is not a valid number", strings.TrimPrefix(fmt.Sprint(x), "+"))))
		}
	}
	if !flag.Tag.Has("min") {
		return nil
	}
	least, _ := strconv.ParseFloat(flag.Tag.Get("min"), 64)
	most, err := strconv.ParseFloat(flag.Tag.Get("max"), 64)
	if x < least || err == nil && x > most {
		return fmt.Errorf("--%s must be %s, got %v", flag.Name, rangeOf(flag.Tag), value)
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
	var flag *kong.Flag
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context != nil {
		node := parse.Context.Model.Node
		if command := parse.Context.Selected(); command != nil {
			node, path = command, command.FullPath()+" --help"
		} else {
			text = strings.Replace(text, "unexpected argument", "there is no command", 1)
		}
		name, _, _ := strings.Cut(text, ":")
		flag = flagOf(node, name)
	}
	text = strings.ReplaceAll(wrongValue(flag, text), "\n", `\n`) // of an argument
	return usageError{fmt.Errorf("%s\nTry %s", text, path)}
}

// wrongValue is the parser's error about the value of a flag, with the numbers that the flag takes.
func wrongValue(flag *kong.Flag, text string) string {
	if text = reworded(text); flag != nil && rangeOf(flag.Tag) != "" &&
		(strings.HasSuffix(text, " number") || strings.HasSuffix(text, "30s or 5m")) {
		text += "; it must be " + rangeOf(flag.Tag)
	}
	return text
}

// reworded is an error of the parser in the command's words.
func reworded(text string) string {
	for _, r := range rewordings {
		text = r.parser.ReplaceAllString(text, r.ours)
	}
	return text
}

// rewordings turn what the parser says into what users of the command understand.
var rewordings = []struct {
	parser *regexp.Regexp
	ours   string
}{
	{regexp.MustCompile(`^--(\S+): expected \w+ value but got "EOL" \(<EOL>\)$`), "--$1 needs a value"},
	{regexp.MustCompile(`^--(\S+): expected \w+ value but got "(.*)" \((?:short |long )?flag\).*$`), "--$1 needs a value; if $2 is the value, write --$1=$2"},
	{regexp.MustCompile(`expected a valid \d+ bit u?int but got (".*")$`), "$1 is not a valid whole number"},
	{regexp.MustCompile(`expected a float but got (".*") \(string\)$`), "$1 is not a valid number"},
	{regexp.MustCompile(`expected duration but got (".*"): .*$`), "$1 is not a time such as 30s or 5m"},
	{regexp.MustCompile(`^missing flags: `), "missing "},
	{regexp.MustCompile(`^expected "(<.*>.*)"$`), "missing $1"},
	{regexp.MustCompile(`can't be used together$`), "can't be used together: leave one out"},
	{regexp.MustCompile(`^(unknown flag -\w), did you mean .*$`), "$1"},
}
