package catalog

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.almanac.example/internal/wirejson"
)

// schemaFiles are the JSON Schemas (2020-12) of the documents, one a file, written by hand. Their definitions are in
// definitions.json.
//
//go:embed schemas
var schemaFiles embed.FS

const (
	schemaSuffix    = ".schema.json"
	definitionsFile = "schemas/definitions.json"
	// schemaURL is the placeholder in the files for the published address of the schema.
	schemaURL = "{schema_url}"
	// protocolCount and categoryCount are the placeholders for the numbers of protocols and of categories.
	protocolCount = `"{protocols}"`
	categoryCount = `"{categories}"`
	// profileFieldsMark is the placeholder for the fields of a profile, which Profile declares.
	profileFieldsMark = `"{profile_fields}"`
)

// SchemaNames returns the names of the published JSON Schemas, sorted.
func SchemaNames() []string {
	names, _ := fs.Glob(schemaFiles, "schemas/*"+schemaSuffix) // the pattern is well formed
	for i, name := range names {
		names[i] = strings.TrimSuffix(path.Base(name), schemaSuffix)
	}
	return names
}

// Schema returns the JSON Schema of a kind of document as it is published: its $id is its address on the site of c, and
// it contains every definition that it refers to, so that it can be used alone.
func (c *Catalog) Schema(name string) ([]byte, bool) {
	text, ok := bundledSchemas()[name]
	text = bytes.ReplaceAll(text, []byte(schemaURL), []byte(c.Site().URL(SchemaPath(name))))
	text = bytes.ReplaceAll(text, []byte(categoryCount), strconv.AppendInt(nil, int64(len(c.categories)), 10))
	text = idList.ReplaceAllFunc(text, c.listIDs)
	return bytes.ReplaceAll(text, []byte(protocolCount), strconv.AppendInt(nil, int64(len(c.records.Protocols)), 10)), ok
}

// idList matches the placeholder for the ids of categories, protocols or types, and the line break before it.
var idList = regexp.MustCompile(`(\n *)"\{(\w+)_ids\}"`)

// listIDs returns the ids that replace a match of idList, one a line; nothing if there are none.
func (c *Catalog) listIDs(match []byte) []byte {
	parts := idList.FindSubmatch(match)
	ids := map[string][]string{
		"category": c.CategoryIDs(), "protocol": c.records.Identity.Protocols, "type": c.records.Identity.EntryTypes(),
	}[string(parts[2])]
	if len(ids) == 0 {
		return nil
	}
	return fmt.Appendf(nil, `%s"%s"`, parts[1], strings.Join(ids, `",`+string(parts[1])+`"`))
}

// bundledSchemas returns every schema without its address, by name, each with the shared definitions that it refers to,
// directly or through others. Bundling them takes as long as rendering fifty pages.
var bundledSchemas = sync.OnceValue(func() map[string][]byte {
	required, properties := profileSchema()
	data, _ := schemaFiles.ReadFile(definitionsFile) // the files are part of the program, and a test publishes them all
	data = bytes.Replace(data, []byte(profileFieldsMark), []byte(required), 1)
	data = bytes.Replace(data, []byte(profileFieldsMark+": {}"), []byte(properties), 1)
	var shared map[string]json.RawMessage
	if err := json.Unmarshal(data, &shared); err != nil {
		panic(fmt.Sprintf("catalog: %s: %v", definitionsFile, err))
	}
	schemas := make(map[string][]byte)
	for _, name := range SchemaNames() {
		file, _ := schemaFiles.ReadFile("schemas/" + name + schemaSuffix)
		schemas[name] = bundle(file, shared)
	}
	return schemas
})

var definitionRef = regexp.MustCompile(`"#/\$defs/(\w+)"`)

// bundle returns a schema with the definitions that it refers to.
func bundle(schema []byte, shared map[string]json.RawMessage) []byte {
	defs := make(map[string]json.RawMessage)
	for todo := [][]byte{schema}; len(todo) > 0; todo = todo[1:] {
		for _, m := range definitionRef.FindAllSubmatch(todo[0], -1) {
			if name := string(m[1]); defs[name] == nil {
				defs[name] = shared[name]
				todo = append(todo, shared[name])
			}
		}
	}
	if len(defs) > 0 {
		schema = slices.Concat(bytes.TrimSuffix(schema, []byte("}\n")), []byte(`, "$defs": `), wirejson.Must(wirejson.Compact(defs)), []byte("}"))
	}
	return wirejson.Must(wirejson.Indent(json.RawMessage(schema)))
}
