package bolt12

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// An offerVector is a test vector of BOLT 12: bolt12/offers-test.json of the specification.
type offerVector struct {
	Name  string `json:"description"`
	Valid bool   `json:"valid"`
	Offer string `json:"bolt12"`
}

func offerVectors(t testing.TB) []offerVector {
	t.Helper()
	vectors := readVectors[offerVector](t, "offers-test.json")
	if len(vectors) != 53 {
		t.Fatalf("the specification has 53 offers, not %d", len(vectors))
	}
	return vectors
}

func readVectors[T any](t testing.TB, name string) (list []T) {
	t.Helper()
	data, err := os.ReadFile("testdata/bolt12/" + name)
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestOfferVectors(t *testing.T) {
	for _, v := range offerVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			if _, err := Decode(v.Offer); (err == nil) != v.Valid {
				t.Errorf("got error %v, want valid %v", err, v.Valid)
			}
		})
	}
}

// TestOfferFormats: an offer in capitals or in pieces is the same offer; one in letters of
// both cases or with a "+" at its end is none.
func TestOfferFormats(t *testing.T) {
	type format struct {
		Comment, String string
		Valid           bool
	}
	vectors := readVectors[format](t, "format-string-test.json")
	if len(vectors) != 12 {
		t.Fatalf("the specification has 12 strings, not %d", len(vectors))
	}
	for _, v := range vectors {
		o, err := Decode(v.String)
		if (err == nil) != v.Valid {
			t.Errorf("%s: got error %v, want valid %v", v.Comment, err, v.Valid)
		}
		if v.Valid && o.Text != vectors[0].String {
			t.Errorf("%s: the plain form is %q", v.Comment, o.Text)
		}
	}
}

// TestChains: an offer of another chain than mainnet names it; this one is Core Lightning's on regtest.
func TestChains(t *testing.T) {
	o, err := Decode("lno1qgsqvgnwgcg35z6ee2h3yczraddm72xrfua9uve2rlrm9deu7xyfzrc2q36x2um5zcss9g069rpwu3yvah7ryysy5yxx9amsfq7707cgd8pesxudttdawsnj")
	if err != nil || strings.Join(o.Networks, " ") != "regtest" {
		t.Errorf("networks %q (%v), want regtest", o.Networks, err)
	}
}

// The article takes the vector "with currency" apart; its table lists the records that are found here.
func TestOfferArticle(t *testing.T) {
	article, err := os.ReadFile("../../fixtures/articles/reading-a-bolt12-offer/article.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range offerVectors(t) {
		if v.Name != "with currency" {
			continue
		}
		records, err := decodeRecords(v.Offer)
		if err != nil {
			t.Fatal(err)
		}
		if len(records) != 4 {
			t.Errorf("%d records, the article says four", len(records))
		}
		for typ, value := range records {
			if !strings.Contains(string(article), "`"+hex.EncodeToString(value)+"`") {
				t.Errorf("the article lacks record %d", typ)
			}
		}
		if !strings.Contains(string(article), v.Offer) {
			t.Error("the article is about another offer")
		}
	}
}

// No text, whatever its origin, may make the check panic.
func FuzzOffer(f *testing.F) {
	for _, v := range offerVectors(f) {
		f.Add(v.Offer)
	}
	f.Fuzz(func(t *testing.T, offer string) { Decode(offer) })
}
