package html

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
	"go.almanac.example/httpmirror/phrase"
)

func realFlows(t *testing.T) []*catalog.Flow {
	t.Helper()
	c, err := load.Load(fixtures.FS, catalog.Options{Site: catalog.DefaultSite})
	if err != nil {
		t.Fatal(err)
	}
	var list []*catalog.Flow
	for _, id := range c.ProtocolPageIDs() {
		if f, ok := c.Flow(id); ok {
			list = append(list, f)
		}
	}
	if len(list) < 16 {
		t.Fatalf("only %d flows", len(list))
	}
	return list
}

// words returns the texts of a drawing or of markup as one, without what is not text.
func words(t *testing.T, markup string) string {
	t.Helper()
	var b strings.Builder
	dec := xml.NewDecoder(strings.NewReader(markup))
	dec.Strict = false
	dec.AutoClose = xml.HTMLAutoClose
	for {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, markup)
		}
		if text, ok := token.(xml.CharData); ok {
			b.WriteString(" " + string(text))
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Every step of every flow is in the drawing with its number and its note, and in the list below with its parties.
func TestDrawingsHaveEveryStep(t *testing.T) {
	for _, f := range realFlows(t) {
		var list, drawing strings.Builder
		if err := errors.Join(flowSteps(f).Render(context.Background(), &list), flowDrawing(f, true).Render(context.Background(), &drawing)); err != nil {
			t.Fatal(err)
		}
		inList, drawn := words(t, list.String()), drawing.String()
		for i, step := range f.Steps {
			if !strings.Contains(words(t, drawn), strings.Join(strings.Fields(step.Label), " ")) {
				t.Errorf("%s: the drawing lacks %q", f.ID, step.Label)
			}
			if !strings.Contains(drawn, "<b>"+strconv.Itoa(i+1)+"</b>") {
				t.Errorf("%s: the drawing has no number %d", f.ID, i+1)
			}
			for _, actor := range []string{step.From, step.To} {
				if !strings.Contains(drawn, "<b>"+phrase.Sentence(actor)+"</b>") {
					t.Errorf("%s: the drawing has no %s", f.ID, actor)
				}
			}
			for _, part := range []string{step.Label, phrase.Sentence(step.Parties())} {
				if !strings.Contains(inList, part) {
					t.Errorf("%s: the list lacks %q", f.ID, part)
				}
			}
			if step.Note != nil && !strings.Contains(words(t, drawn), *step.Note) {
				t.Errorf("%s: the drawing lacks %q", f.ID, *step.Note)
			}
		}
	}
}
