package nbsvm

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/internal/learn/tune"
)

// fill gives every field of a struct a value that is not its zero value.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(5)
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.String:
		v.SetString("x")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]float64{"x": 2}))
	}
}

// TestOptionsConvert: the learners get every option, and what they resolve comes back with every option. Functions and
// Review are not compared; pointers are passed on.
func TestOptionsConvert(t *testing.T) {
	var o Options
	fill(reflect.ValueOf(&o).Elem())
	o.Text, o.Valid = DefaultOptions().Text, &corpus.Input{Paths: []string{"x"}}
	if back := optionsOf(o.internal()); !reflect.DeepEqual(back, o) {
		t.Errorf("%+v\ncame back as\n%+v", o, back)
	}
	// Models record the options of the learners; the face reads the same JSON.
	for _, of := range []any{o, o.internal()} {
		recorded, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		var read Options
		var inner train.Options
		if err := json.Unmarshal(recorded, &read); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(recorded, &inner); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(optionsOf(inner), read) {
			t.Errorf("the face reads\n%+v\nof %s", read, recorded)
		}
	}
}

// TestSettingConvert: settings of a search have the same JSON as those of the package that searches.
func TestSettingConvert(t *testing.T) {
	var s tune.Setting
	fill(reflect.ValueOf(&s).Elem())
	want, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(settingOf(s)); err != nil || string(got) != string(want) {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
