package load

import (
	"fmt"

	"almanac/catalog"
)

// maxLabel is the length of what stands on an arrow of a flow, in characters.
const maxLabel = 80

func lintFlows(l *faultList, flows []located[*catalog.Flow], t *targets) {
	for _, f := range flows {
		at := linter{l, f.path, ""}
		at.id(f.record.ID, fileID(f.path))
		if !t.protocols[f.record.ID] && !t.profiles[f.record.ID] {
			at.add("id", "there is no protocol %q%s; correct it, or remove the file", f.record.ID, t.profiles.didYouMean(f.record.ID))
		}
		at.text("title", f.record.Title, maxTitle)
		if len(f.record.Steps) == 0 {
			at.add("steps", "is empty; write one, or remove the file")
		}
		for i, s := range f.record.Steps {
			at.prefix = fmt.Sprintf("steps[%d].", i)
			at.oneOf("from", s.From, catalog.FlowActors)
			at.oneOf("to", s.To, catalog.FlowActors)
			at.text("label", s.Label, maxLabel)
			at.optionalText("note", s.Note)
			at.evidence(catalog.Evidence{Source: s.Source, Quote: s.Quote, Read: s.Read, VerifiedAt: s.VerifiedAt})
		}
	}
}
