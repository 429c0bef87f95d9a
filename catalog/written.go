package catalog

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

// writtenFiles are texts of documents that are the same for every library, and programs that buy a search.
//
//go:embed written
var writtenFiles embed.FS

// written returns the value in a JSON file of writtenFiles, with some texts of it replaced.
func written[T any](name string, replacements ...string) (v T) {
	data, err := writtenFiles.ReadFile("written/" + name)
	if err == nil {
		err = json.Unmarshal([]byte(strings.NewReplacer(replacements...).Replace(string(data))), &v)
	}
	if err != nil {
		panic(fmt.Sprintf("catalog: %s: %v", name, err)) // the files are part of the program, and a test publishes them all
	}
	return v
}
