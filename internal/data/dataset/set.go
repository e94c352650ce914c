package dataset

import "github.com/RoaringBitmap/roaring/v2"

// Set is a set of documents, nil for none. JSON has it as text.
type Set struct{ *roaring.Bitmap }

// IsZero reports whether there are no documents.
func (s Set) IsZero() bool { return s.Bitmap == nil || s.IsEmpty() }

// with returns the set with those of another, in which documents have numbers lower by offset.
func (s Set) with(other Set, offset uint64) Set {
	switch {
	case other.IsZero():
		return s
	case s.IsZero():
		s.Bitmap = roaring.New()
	}
	return Set{roaring.Or(s.Bitmap, roaring.AddOffset64(other.Bitmap, int64(offset)))}
}

// MarshalText returns the set in base 64.
func (s Set) MarshalText() ([]byte, error) {
	text, err := s.ToBase64()
	return []byte(text), err
}

// UnmarshalText takes what MarshalText returns.
func (s *Set) UnmarshalText(text []byte) error {
	s.Bitmap = roaring.New()
	if _, err := s.FromBase64(string(text)); err != nil {
		return err
	}
	return s.Validate()
}
