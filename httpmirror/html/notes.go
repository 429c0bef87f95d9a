package html

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/a-h/templ"

	"almanac/catalog"
)

// notes are the sources of a page, numbered in the order in which the page cites them.
type notes struct {
	PayFlow string // address of the evidence for the pay flow; "": there is none

	list   []note
	number map[string]int // by address, from 1
}

// A note is a source of a page.
type note struct {
	Address    string
	VerifiedAt catalog.Date // newest day on which it was read
	Quotes     []noteQuote
}

// A noteQuote is the words of a source that show a statement of the page.
type noteQuote struct{ Label, Quote, Read string }

// add cites a source. An empty quote adds the source alone.
func (n *notes) add(label, address, quote, read string, day catalog.Date) {
	if address == "" {
		return
	}
	if n.number[address] == 0 {
		n.list = append(n.list, note{Address: address})
		n.number[address] = len(n.list)
	}
	s := &n.list[n.number[address]-1]
	s.VerifiedAt = max(s.VerifiedAt, day)
	if quote != "" {
		s.Quotes = append(s.Quotes, noteQuote{label, quote, read})
	}
}

// noteID returns the anchor of the note with an index.
func noteID(i int) string { return "source-" + strconv.Itoa(i+1) }

// reference is the number of a source, which leads to its note.
func (n *notes) reference(address string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		i := n.number[address]
		_, err := fmt.Fprintf(w, ` <a class="ref" href="#%s">[%d]</a> `, noteID(i-1), i)
		return err
	})
}

// newNotes returns the sources of the page of a protocol.
func newNotes(d *protocolPage) *notes {
	n := &notes{number: make(map[string]int)}
	if d.Flow != nil {
		for i, s := range d.Flow.Steps {
			n.add("Step "+strconv.Itoa(i+1), s.Source, s.Quote, s.Read, s.VerifiedAt)
		}
	}
	for _, f := range d.Facts {
		if f.Name == "pay_flow" && f.Evidence != "" {
			n.PayFlow = f.Evidence + "#" + f.Name
		}
		n.add(f.Label, f.Source, "", "", f.VerifiedAt)
	}
	if d.Profile != nil {
		for _, f := range d.Profile.GroupedFields() {
			n.add(f.Label, f.Source, f.Quote, f.Read, f.VerifiedAt)
		}
	}
	return n
}
