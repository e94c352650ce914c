package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

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
