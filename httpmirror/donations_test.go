package httpmirror

import (
	"bytes"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcutil/bech32"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
)

// operatorSupport returns the support document of an operator who takes donations.
func operatorSupport(t *testing.T) []byte {
	t.Helper()
	own, err := os.ReadFile("testdata/operator/support.json")
	if err != nil {
		t.Fatal(err)
	}
	return own
}

// donationsMirror returns the site of the published records with the support document of an operator who takes donations.
func donationsMirror(t *testing.T) *Mirror {
	t.Helper()
	c, err := load.Load(catalogtest.Files(t, "../fixtures", map[string][]byte{"support.json": operatorSupport(t)}),
		catalog.Options{Site: catalog.DefaultSite, GeneratedAt: testTime, Payments: catalog.PaymentsLive})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Build(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSampleSupport: sample data look like nothing that can be paid. No page, Markdown file or picture shows an address of
// theirs, no page offers the page about donations, and the support document is published as it always is.
func TestSampleSupport(t *testing.T) {
	sample, real := realMirror(t), donationsMirror(t)
	for _, tc := range []struct {
		name    string
		m       *Mirror
		payable bool
	}{{"sample", sample, false}, {"an operator's own", real, true}} {
		t.Run(tc.name, func(t *testing.T) {
			page, _ := tc.m.File(catalog.SupportPath)
			text, _ := tc.m.File(catalog.MarkdownPath(catalog.SupportPath))
			home, _ := tc.m.File(catalog.HomePath)
			doc := tc.m.cat.Support()
			if len(doc.Methods) != 6 {
				t.Fatalf("the support document has %d methods", len(doc.Methods))
			}
			for _, m := range doc.Methods {
				picture, ok := tc.m.File(catalog.QRPath(m.Name))
				if !ok {
					t.Fatalf("%s has no picture", m.Name)
				}
				for what, c := range map[string]struct {
					body []byte
					text string
				}{
					"the page shows":          {page.Body, strings.TrimPrefix(m.QRText, "ethereum:")},
					"the Markdown file shows": {text.Body, m.QRText},
					"the page has a code of":  {page.Body, catalog.QRPath(m.Name)},
					"the picture has modules": {picture.Body, "<path"},
				} {
					if got := strings.Contains(string(c.body), c.text); got != tc.payable {
						t.Errorf("%s: %s is %v", what, c.text, got)
					}
				}
			}
			for what, c := range map[string]struct {
				body []byte
				text string
			}{
				"the page has something to copy": {page.Body, `class="all"`},
				"the navigation offers it":       {home.Body, `href="/support/"`},
			} {
				if got := strings.Contains(string(c.body), c.text); got != tc.payable {
					t.Errorf("%s: %v", what, got)
				}
			}
			if n := strings.Count(string(page.Body), "Do not send money to them"); (n == 0) != tc.payable {
				t.Errorf("the page says %d times that it is sample data", n)
			}
		})
	}
}

// longOffer returns an offer whose description has n bytes.
func longOffer(t *testing.T, n int) string {
	t.Helper()
	const issuer = "zcss9mk8y3wkklfvevcrszlmu23kfrxh49px20665dqwmn4p72pksese" // the records of the operator's own offer
	const letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	words := make([]byte, len(issuer))
	for i := range words {
		words[i] = byte(strings.IndexByte(letters, issuer[i]))
	}
	records, err := bech32.ConvertBits(words, 5, 8, false)
	if err != nil {
		t.Fatal(err)
	}
	const description, twoBytes = 10, 0xfd // BOLT 12, "TLV Fields for Offers"; BOLT 1, "Fundamental Types"
	records = slices.Concat([]byte{description, twoBytes, byte(n >> 8), byte(n)}, bytes.Repeat([]byte("x"), n), records)
	if words, err = bech32.ConvertBits(records, 8, 5, true); err != nil {
		t.Fatal(err)
	}
	for i, w := range words {
		words[i] = letters[w]
	}
	return "lno1" + string(words)
}

// The QR code of the longest offer that is accepted can be drawn; an offer that is longer by a byte is refused when the data are read, and
// not when somebody asks for its picture.
func TestLongestOffer(t *testing.T) {
	const longest = 1407
	site := func(n int) (*catalog.Catalog, error) {
		own := regexp.MustCompile(`lno1\w+`).ReplaceAll(operatorSupport(t), []byte(longOffer(t, n)))
		return load.Load(catalogtest.Files(t, "../fixtures", map[string][]byte{"support.json": own}), catalog.Options{Site: catalog.DefaultSite})
	}
	c, err := site(longest)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Build(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res := ask(t, m, "GET", catalog.QRPath("lightning-bolt12")); res.StatusCode != http.StatusOK {
		t.Errorf("the QR code of the longest offer answers %d", res.StatusCode)
	}
	if _, err := site(longest + 1); err == nil || !strings.Contains(err.Error(), "fit into its QR code") {
		t.Errorf("an offer that is a byte longer: %v", err)
	}
}
