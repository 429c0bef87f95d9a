package postings

import (
	"slices"
	"testing"

	"almanac/index/text"
)

// The frequencies of the fields of a group do not touch each other, whatever they are.
func TestPacked(t *testing.T) {
	for _, fields := range groupFields {
		for _, field := range fields {
			packed := 0
			for _, f := range fields {
				times := 3
				if f == field {
					times = 2 * mostPacked
				}
				for range times {
					packed = packedSum(packed, packedOne(f))
				}
			}
			for _, f := range fields {
				want := uint64(3)
				if f == field {
					want = mostPacked
				}
				if got := unpack(uint64(packed), f); got != want {
					t.Errorf("field %d has a frequency of %d, want %d", f, got, want)
				}
			}
		}
	}
	var all []int
	for _, fields := range groupFields {
		all = append(all, fields...)
	}
	slices.Sort(all)
	for f := range Fields {
		if f >= len(all) || all[f] != f {
			t.Fatalf("the groups have the fields %v", all)
		}
	}
}

// A term is found in each field, with that field alone among its fields.
func TestFields(t *testing.T) {
	a, err := text.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	for f := range Fields {
		var texts [Fields]string
		texts[f] = "needle needle"
		s, err := Open(a, oneOf{texts}, Disk{}, Room{Lists: 1 << 20, Placed: 1})
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.List(within(1<<40), one("needl"))
		if err != nil || len(l.Docs) != 1 || l.Fields[0] != 1<<f {
			t.Errorf("field %d: %v, %v", f, l, err)
		}
		if want := f == Title || f == Labels || f == Text; s.HasInText("needl") != want || !s.MayHave("needl") {
			t.Errorf("field %d: a needle in the text: %v", f, !want)
		}
		s.Close()
	}
}

type oneOf [1][Fields]string

func (o oneOf) Len() int                   { return 1 }
func (o oneOf) Texts(i int) [Fields]string { return o[i] }
func (o oneOf) Hash() string               { return "0123456789abcdef" }

// A phrase is found where its words are next to each other in one field, also over stop words and in other
// spellings, and nowhere else.
func TestPhrase(t *testing.T) {
	a, err := text.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	docs := manyFields{
		{Text: "a red fox"}, {Text: "red foxes, red fox"}, {Text: "fox red"}, {Title: "red", Text: "fox"}, {Title: "the red fox"},
		{Text: "red or fox"}, {Questions: "red red fox"}, {Text: "BIP 0021 fox"}, {},
	}
	s, err := Open(a, docs, Disk{}, Room{Lists: 1 << 20, Placed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tt := range []struct {
		phrase []PhraseWord
		want   []uint32
	}{
		{[]PhraseWord{{"red", 0}, {"fox", 1}}, []uint32{0, 1, 4, 6}},
		{[]PhraseWord{{"red", 0}, {"fox", 2}}, []uint32{5, 6}},
		{[]PhraseWord{{"fox", 0}}, []uint32{0, 1, 2, 3, 4, 5, 6, 7}},
		{[]PhraseWord{{"red", 0}, {"fox", 1}, {"red", 2}}, []uint32{1}},
		{[]PhraseWord{{"bip21", 0}, {"fox", 2}}, []uint32{7}},
		{[]PhraseWord{{"red", 0}, {"hen", 1}}, nil},
	} {
		for range 2 { // before and after the documents are kept
			var got []uint32
			if err := s.Phrase(within(1<<40), tt.phrase, func(doc uint32) { got = append(got, doc) }); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%v is in %v, want %v (%v)", tt.phrase, got, tt.want, err)
			}
		}
	}
}

type manyFields [][Fields]string

func (m manyFields) Len() int                   { return len(m) }
func (m manyFields) Texts(i int) [Fields]string { return m[i] }
func (m manyFields) Hash() string               { return "0123456789abcdef" }
