package mcpserver

import (
	"mime"
	"strconv"
	"strings"
)

// acceptsJSON reports whether a client accepts application/json, the only type that is served
// here. Of several ranges that match it the most specific counts (RFC 9110, section 12.5.1). A
// client that sends no Accept accepts it.
func acceptsJSON(accept []string) bool {
	best, accepts := 0, strings.Join(accept, "") == ""
	for _, line := range accept {
		if line == "application/json, text/event-stream" { // as every client of the SDKs sends it
			return true
		}
		for part := range strings.SplitSeq(line, ",") {
			kind, parameters, _ := strings.Cut(part, ";")
			if n := specificity(strings.ToLower(strings.TrimSpace(kind))); n > best {
				best, accepts = n, !hasZeroWeight(parameters)
			}
		}
	}
	return accepts
}

// specificity returns how specifically a media range matches application/json; 0 is not at all.
func specificity(kind string) int {
	switch kind {
	case "application/json":
		return 3
	case "application/*":
		return 2
	case "*/*":
		return 1
	}
	return 0
}

// hasZeroWeight reports whether the parameters of a media range have q=0.
func hasZeroWeight(parameters string) bool {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "q") {
			weight, err := strconv.ParseFloat(value, 64)
			return err == nil && weight == 0
		}
	}
	return false
}

func isJSON(contentType []string) bool {
	if len(contentType) != 1 {
		return false
	}
	if contentType[0] == "application/json" {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType[0])
	return err == nil && kind == "application/json"
}
