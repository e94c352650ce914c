// Package flags makes arguments and flags of commands from the fields of structs, whose tags declare them:
//
//	help         what it means
//	arg          an argument, not a flag; optional, if it may be left out
//	name, short  how it is typed; without name, the field's name with hyphens
//	placeholder  what stands for its value in help
//	default      its value where it is not given; pointers are nil then
//	required     it must be given
//	negatable    a switch that --no-NAME turns off
//	group        the heading under which help lists it; of an embedded struct, that of all its fields
//	enum         the words that it takes, and choices those of which the library checks them
//	min, max     the least and the largest number, values both in words
//	sep          none: a flag that is repeated, and not divided at commas
//	needs, not   flags one of which must be given as well, and those that contradict it
//
// Values are strings, numbers, switches, durations and what has UnmarshalText, pointers to these, and lists of them.
package flags

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Field is an argument or a flag.
type Field struct {
	Name, Short, Help, Placeholder, Group string

	Argument, Optional, Required, Negatable bool

	Enum    []string // the words that it takes
	Choices []string // those to offer for completion, Enum or others

	Value reflect.Value // where it is kept

	tag   reflect.StructTag
	given int // how many times
}

// Tag returns a tag of the struct's field.
func (f *Field) Tag(key string) string { return f.tag.Get(key) }

// names returns the words of a tag.
func (f *Field) names(key string) []string {
	if text := f.tag.Get(key); text != "" {
		return strings.Split(text, ",")
	}
	return nil
}

// Fields returns the arguments and flags that a struct declares, those of structs that it embeds, and those that its
// method MoreFields returns. Fill puts values in the place of ${NAME} in texts of help and defaults. It panics if a tag
// is wrong.
func Fields(target any, fill func(text string) string) []*Field {
	all := fieldsOf(reflect.ValueOf(target).Elem(), "", fill)
	for _, f := range all {
		if value := fill(f.tag.Get("default")); value != "" {
			if err := f.set(value); err != nil {
				panic(fmt.Sprintf("flags: default of %s: %v", f.Name, err))
			}
		}
	}
	if more, has := target.(interface{ MoreFields() []*Field }); has {
		all = append(all, more.MoreFields()...)
	}
	return all
}

func fieldsOf(target reflect.Value, group string, fill func(text string) string) (all []*Field) {
	for field, value := range target.Fields() {
		tag := field.Tag
		own := tag.Get("group")
		if group != "" {
			own = group
		}
		if field.Anonymous {
			all = append(all, fieldsOf(value, own, fill)...)
			continue
		}
		help, declared := tag.Lookup("help")
		if !declared {
			continue
		}
		f := New(cmp.Or(tag.Get("name"), hyphenated(field.Name)), tag, value)
		f.Help, f.Group = fill(help), own
		if choices := tag.Get("choices"); choices != "" {
			f.Choices = strings.Split(fill(choices), ",")
		}
		all = append(all, f)
	}
	return all
}

// New returns a field whose tags are known, and which keeps its value in a variable.
func New(name string, tag reflect.StructTag, value reflect.Value) *Field {
	f := &Field{
		Name: name, Short: tag.Get("short"), Help: tag.Get("help"), Placeholder: tag.Get("placeholder"),
		Group: tag.Get("group"), Value: value, tag: tag,
	}
	_, f.Argument = tag.Lookup("arg")
	_, f.Optional = tag.Lookup("optional")
	_, f.Required = tag.Lookup("required")
	_, f.Negatable = tag.Lookup("negatable")
	f.Enum = f.names("enum")
	f.Choices = f.Enum
	return f
}

// hyphenated turns KeepFields into keep-fields.
func hyphenated(name string) string {
	var b strings.Builder
	for i, c := range name {
		if unicode.IsUpper(c) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// Switch reports whether a flag takes no value.
func (f *Field) Switch() bool { return kind(f.Value.Type()) == reflect.Bool }

// Many reports whether any number of values may be given.
func (f *Field) Many() bool { return f.Value.Kind() == reflect.Slice }

// Given reports whether the command line has the flag. A switch that is turned off is as good as not given, unless it
// overrides a preset.
func (f *Field) Given() bool {
	return f.given > 0 && !(f.Value.Kind() == reflect.Bool && !f.Value.Bool())
}

// Typed returns the flag as it is typed, in the short form if there is one.
func (f *Field) Typed() string {
	if f.Short != "" {
		return "-" + f.Short
	}
	return "--" + f.Name
}

// String implements [pflag.Value]: help texts name the defaults.
func (f *Field) String() string { return "" }

// Type implements [pflag.Value]: what stands for the value in help.
func (f *Field) Type() string {
	if f.Switch() {
		return "bool"
	}
	return f.Placeholder
}

// Set implements [pflag.Value].
func (f *Field) Set(text string) error {
	one := kind(f.Value.Type()) == reflect.String && !f.Many()
	label := f.Name == "label" || f.Name == "class" // which may be any text, and empty
	switch {
	case text == "" && one && !label:
		return fault(fmt.Sprintf("is empty; give %s, or leave the flag out", f.Placeholder))
	case f.given > 0 && one && (f.Group == "output" || f.tag.Get("file") != ""):
		return fault(fmt.Sprintf("is given twice, but takes only one %s", f.Placeholder))
	case f.tag.Get("file") != "" && len(text) > 1 && text[0] == '-' && !label:
		return fmt.Errorf("%q looks like a flag: give %s, or write ./%s if it is meant", text, f.Placeholder, text)
	case len(text) > 2 && text[:2] == "--" && !label:
		return fmt.Errorf("%q looks like a flag: give %s", text, f.Placeholder)
	case f.given == 0:
		f.Value.SetZero() // the pointer may be shared, and a list have its default
	}
	f.given++
	return f.set(text)
}

// fault is what is wrong with a flag, behind its name.
type fault string

func (f fault) Error() string { return string(f) }

// set parses a value, or several.
func (f *Field) set(text string) error {
	if !f.Many() {
		return f.parse(f.Value, text)
	}
	parts := []string{text}
	if f.tag.Get("sep") != "none" && !f.Argument {
		parts = strings.Split(text, ",")
	}
	for _, part := range parts {
		value := reflect.New(f.Value.Type().Elem()).Elem()
		if err := f.parse(value, part); err != nil {
			return err
		}
		f.Value.Set(reflect.Append(f.Value, value))
	}
	return nil
}

// kind returns the kind of a value, or of what a pointer points to.
func kind(of reflect.Type) reflect.Kind {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return of.Kind()
}

func (f *Field) parse(value reflect.Value, text string) (err error) {
	if value.Kind() == reflect.Pointer {
		to := reflect.New(value.Type().Elem())
		if err := f.parse(to.Elem(), text); err != nil {
			return err
		}
		value.Set(to)
		return nil
	}
	if f.Enum != nil && !slices.Contains(f.Enum, text) {
		return fault(fmt.Sprintf("must be one of %s, got %q", strings.Join(f.Enum, ", "), text))
	}
	what := "a valid number"
	switch of := value.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		if err := of.UnmarshalText([]byte(text)); err != nil {
			return err
		}
	case *time.Duration:
		*of, err = time.ParseDuration(text)
		what = "a time such as 30s or 5m"
	default:
		switch {
		case value.Kind() == reflect.String:
			value.SetString(text)
		case value.Kind() == reflect.Bool:
			var on bool
			on, err = strconv.ParseBool(text)
			if value.SetBool(on); err != nil {
				return fault(fmt.Sprintf("must be true or false, got %q", text))
			}
		case value.CanInt():
			var n int64
			n, err = strconv.ParseInt(text, 10, value.Type().Bits())
			value.SetInt(n)
			what = "a valid whole number"
		case value.CanUint():
			var n uint64
			n, err = strconv.ParseUint(text, 10, value.Type().Bits())
			value.SetUint(n)
			what = "a valid whole number"
		case value.CanFloat():
			var x float64
			if x, err = strconv.ParseFloat(text, 64); x-x != 0 { // an infinity, or no number
				err = strconv.ErrRange
			}
			value.SetFloat(x)
		default:
			panic(fmt.Sprintf("flags: %s is of type %v", f.Name, value.Type()))
		}
	}
	if err == nil {
		return f.inRange(value)
	}
	if values := f.Range(); values != "" {
		what += "; it must be " + values
	}
	return fmt.Errorf("%q is not %s", text, what)
}

// Range returns what the tags say of numbers, in words; empty for nothing.
func (f *Field) Range() string {
	least, most := f.tag.Get("min"), f.tag.Get("max")
	switch {
	case f.tag.Get("values") != "" || least == "":
		return f.tag.Get("values")
	case most == "":
		return least + " or more"
	}
	return least + " to " + most
}

// inRange refuses numbers outside of what the tags say.
func (f *Field) inRange(value reflect.Value) error {
	var x float64
	switch {
	case value.CanInt():
		x = float64(value.Int())
	case value.CanFloat():
		x = value.Float()
	default:
		return nil
	}
	least, err := strconv.ParseFloat(f.tag.Get("min"), 64)
	most, noMost := strconv.ParseFloat(f.tag.Get("max"), 64)
	if err == nil && x < least || noMost == nil && x > most {
		return fault(fmt.Sprintf("must be %s, got %v", f.Range(), value))
	}
	return nil
}

// Add declares the flags among fields.
func Add(flags *pflag.FlagSet, fields []*Field) {
	for _, f := range fields {
		if f.Argument {
			continue
		}
		flag := flags.VarPF(f, f.Name, f.Short, f.Help)
		if f.Switch() {
			flag.NoOptDefVal = "true"
		}
		if f.Negatable {
			flags.VarPF(negation{f}, "no-"+f.Name, "", "Turn --"+f.Name+" off.").NoOptDefVal = "true"
		}
	}
}

// negation is the switch --no-NAME.
type negation struct{ *Field }

func (n negation) Set(text string) error {
	off, err := strconv.ParseBool(text)
	if err != nil {
		return fault(fmt.Sprintf("must be true or false, got %q", text))
	}
	return n.Field.Set(strconv.FormatBool(!off))
}

// Arguments fills in the arguments among fields.
func Arguments(fields []*Field, args []string) error {
	for _, f := range fields {
		switch {
		case !f.Argument:
			continue
		case len(args) == 0 && !f.Optional:
			return fmt.Errorf("missing %s: %s", f.Summary(), f.Help)
		}
		for len(args) > 0 {
			arg := args[0]
			args = args[1:]
			if err := f.set(arg); err != nil {
				return fmt.Errorf("%s: %w", f.Summary(), err)
			}
			f.given++
			if !f.Many() {
				break
			}
		}
	}
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	return nil
}

// Summary returns an argument as usage texts show it: MODEL, or [INPUT...].
func (f *Field) Summary() string {
	name := strings.ToUpper(f.Name)
	if f.Many() {
		name += "..."
	}
	if f.Optional {
		name = "[" + name + "]"
	}
	return name
}

// Usage returns a command with its arguments and the flags that must be given.
func Usage(name string, fields []*Field) string {
	words := []string{name}
	for _, f := range fields {
		switch {
		case f.Argument:
			words = append(words, f.Summary())
		case f.Required:
			words = append(words, f.Typed()+" "+f.Placeholder)
		}
	}
	return strings.Join(words, " ")
}

// Check refuses flags without those that they need, beside those that contradict them, and that are missing.
func Check(fields []*Field) error {
	given := map[string]bool{}
	for _, f := range fields {
		given[f.Name] = f.Given()
	}
	for _, f := range fields {
		if f.Required && f.given == 0 {
			return fmt.Errorf("missing --%s=%s", f.Name, f.Placeholder)
		}
		if !f.Given() {
			continue
		}
		for _, other := range f.names("not") {
			if given[other] {
				return fmt.Errorf("%s and --%s contradict each other: leave one out", f.Typed(), other)
			}
		}
		needs := f.names("needs")
		if needs != nil && !slices.ContainsFunc(needs, func(other string) bool { return given[other] }) {
			return fmt.Errorf("--%s needs --%s: give that as well, or leave --%[1]s out",
				f.Name, strings.Join(needs, " or --"))
		}
	}
	return nil
}

// Values returns the flags of a struct that have a value, as they are typed: by name, lists with commas.
func Values(target any) map[string]string {
	all := map[string]string{}
	for _, f := range fieldsOf(reflect.ValueOf(target).Elem(), "", strings.Clone) {
		switch value := f.Value.Interface().(type) {
		case []string:
			if value != nil {
				all[f.Name] = strings.Join(value, ",")
			}
		default:
			if !f.Value.IsZero() {
				all[f.Name] = fmt.Sprint(reflect.Indirect(f.Value))
			}
		}
	}
	return all
}

// Again returns flags that were given, to be typed again.
func Again(fields []*Field) (words []string) {
	for _, f := range fields {
		value := reflect.Indirect(f.Value)
		switch {
		case f.Argument || !f.Given():
		case f.Switch() && value.Bool():
			words = append(words, "--"+f.Name)
		case f.Switch():
			words = append(words, "--no-"+f.Name)
		case f.Many():
			for i := range value.Len() {
				words = append(words, fmt.Sprintf("--%s=%v", f.Name, value.Index(i)))
			}
		default:
			words = append(words, fmt.Sprintf("--%s=%v", f.Name, value))
		}
	}
	return words
}

// Wrong returns what the flag parser says is wrong with a command line, in words that name the flag first, and suggest
// others for an unknown one.
func Wrong(command *cobra.Command, err error) error {
	if unknown, is := errors.AsType[*pflag.NotExistError](err); is {
		flags := &cobra.Command{SuggestionsMinimumDistance: 2} // cobra's suggestions are of commands
		command.Flags().VisitAll(func(f *pflag.Flag) {
			flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		})
		if near := flags.SuggestionsFor(unknown.GetSpecifiedName()); len(near) > 0 &&
			len(unknown.GetSpecifiedName()) > 1 {
			return fmt.Errorf("%w; did you mean --%s?", err, strings.Join(near, ", --"))
		}
		return errors.New(strings.ReplaceAll(err.Error(), "\n", `\n`))
	}
	if invalid, is := errors.AsType[*pflag.InvalidValueError](err); is {
		if what, is := errors.AsType[fault](err); is {
			return fmt.Errorf("--%s %w", invalid.GetFlag().Name, what)
		}
		return fmt.Errorf("--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
	}
	if missing, is := errors.AsType[*pflag.ValueRequiredError](err); is {
		return fmt.Errorf("--%s needs a value", missing.GetFlag().Name)
	}
	return err
}
