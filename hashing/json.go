package hashing

import "encoding/json"

// single are options of one family, whose JSON has its fields.
type single Options

// several are options of several families. What stands for the tokenizer is the name of none, so that programs that
// know of one family only refuse them.
type several struct {
	Tokenizer   string   `json:"tokenizer"`
	Families    []Family `json:"families"`
	Lowercase   bool     `json:"lowercase"`
	Punctuation bool     `json:"punctuation"`
	StripHTML   bool     `json:"strip_html"`
	Bits        int      `json:"bits"`
	Seed        uint64   `json:"seed"`
}

const severalName = "several"

// MarshalJSON writes the fields of the options. With several families, the tokenizer is "several", and an array such as
// ["word:1-2","char-wb:2-5"] replaces the lengths of n-grams.
func (o Options) MarshalJSON() ([]byte, error) {
	if o.More == (MoreFamilies{}) {
		return json.Marshal(single(o))
	}
	return json.Marshal(several{
		Tokenizer: severalName, Families: o.Families(),
		Lowercase: o.Lowercase, Punctuation: o.Punctuation, StripHTML: o.StripHTML, Bits: o.Bits, Seed: o.Seed,
	})
}

// UnmarshalJSON reads what MarshalJSON writes. Missing fields keep their values.
func (o *Options) UnmarshalJSON(data []byte) error {
	var kind struct{ Tokenizer json.RawMessage }
	if err := json.Unmarshal(data, &kind); err != nil {
		return err
	}
	if string(kind.Tokenizer) != `"`+severalName+`"` {
		return json.Unmarshal(data, (*single)(o))
	}
	s := several{Lowercase: o.Lowercase, Punctuation: o.Punctuation, StripHTML: o.StripHTML, Bits: o.Bits, Seed: o.Seed}
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	read, err := o.WithFamilies(s.Families...)
	if err != nil {
		return err
	}
	*o = read
	o.Lowercase, o.Punctuation, o.StripHTML, o.Bits, o.Seed = s.Lowercase, s.Punctuation, s.StripHTML, s.Bits, s.Seed
	return nil
}
