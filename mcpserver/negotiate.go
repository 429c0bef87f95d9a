package mcpserver

import (
	"mime"
	"strings"

	"almanac/accept"
)

// acceptsJSON reports whether a client accepts application/json, the only type that is served here. A client that sends
// no Accept accepts it.
func acceptsJSON(lines []string) bool {
	return strings.Join(lines, "") == "" || accept.Weight(lines, "application/json") > 0
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
