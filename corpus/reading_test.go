package corpus

import "testing"

// TestReadingValidate: what a model keeps may be from anywhere.
func TestReadingValidate(t *testing.T) {
	for _, r := range []Reading{
		{Format: "x"},
		{FieldsOf: "x"},
		{TextField: "0"},
		{LabelField: "-1"},
		{TextField: "99999999999"},
		{Format: FastText, TextField: "a"},
		{TextField: "a", LabelField: "a"},
		{LabelSep: "\n"},
		{Header: "maybe"},
		{Delimiter: ";;"},
		{Delimiter: "\""},
		{Delimiter: "é"},
		{Header: "no", TextField: "a"},
	} {
		if r.Validate() == nil {
			t.Errorf("%+v is taken", r)
		}
		if _, err := Open(Input{Like: r, Unlabelled: true}); err == nil {
			t.Errorf("files like %+v are read", r)
		}
	}
	for _, r := range []Reading{{}, {Format: Lines}, {FieldsOf: CSV, TextField: "1", LabelField: "b.c", WeightField: "w", LabelSep: "|"}} {
		if err := r.Validate(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestReadingJoined(t *testing.T) {
	csv := Input{TextField: "a"}.Reading(CSV)
	several := Input{TextField: "a"}.Reading(Auto)
	for _, test := range []struct{ a, b, want Reading }{
		{csv, csv, csv},
		{csv, Input{TextField: "a"}.Reading(JSONL), several},
		{several, csv, several},
		{csv, Input{TextField: "b"}.Reading(CSV), Reading{}},
		{csv, Reading{}, Reading{}},
		{Reading{}, Reading{}, Reading{}},
	} {
		if got := test.a.Joined(test.b); got != test.want {
			t.Errorf("%+v and %+v: %+v, want %+v", test.a, test.b, got, test.want)
		}
		if got := test.b.Joined(test.a); got != test.want {
			t.Errorf("%+v and %+v: %+v, want %+v", test.b, test.a, got, test.want)
		}
	}
}
