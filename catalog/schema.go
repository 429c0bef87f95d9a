package catalog

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.almanac.example/internal/wirejson"
)

// schemaFiles are the JSON Schemas (2020-12) of the documents, one a file, written by hand. Definitions that several of
// them use are written once, in definitions.json.
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

// bundledSchemas returns every schema without its address, by name. Bundling them takes as long as rendering fifty
// pages.
var bundledSchemas = sync.OnceValue(func() map[string][]byte {
	schemas := make(map[string][]byte)
	for _, name := range SchemaNames() {
		file, err := schemaFiles.ReadFile("schemas/" + name + schemaSuffix)
		if err == nil {
			var s *schemaDocument
			if s, err = bundle(file); err == nil {
				schemas[name] = wirejson.Must(wirejson.Indent(s))
			}
		}
		if err != nil {
			// The files are part of the program, and a test publishes them all.
			panic(fmt.Sprintf("catalog: schema %s: %v", name, err))
		}
	}
	return schemas
})

// A schemaDocument is the outermost schema of a file. Its type keeps the order of the keywords.
type schemaDocument struct {
	Schema               string                     `json:"$schema"`
	ID                   string                     `json:"$id"`
	Title                string                     `json:"title"`
	Description          string                     `json:"description"`
	Type                 string                     `json:"type"`
	Required             json.RawMessage            `json:"required"`
	Properties           json.RawMessage            `json:"properties"`
	AdditionalProperties *bool                      `json:"additionalProperties,omitempty"`
	DependentRequired    json.RawMessage            `json:"dependentRequired,omitempty"`
	Defs                 map[string]json.RawMessage `json:"$defs,omitempty"`
}

var definitionRef = regexp.MustCompile(`"#/\$defs/(\w+)"`)

// bundle reads a schema and adds the shared definitions that it refers to, directly or through others.
func bundle(file []byte) (*schemaDocument, error) {
	var s schemaDocument
	dec := json.NewDecoder(bytes.NewReader(file))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return nil, err
	}
	data, err := schemaFiles.ReadFile(definitionsFile)
	if err != nil {
		return nil, err
	}
	required, properties := profileSchema()
	data = bytes.Replace(data, []byte(profileFieldsMark), []byte(required), 1)
	data = bytes.Replace(data, []byte(profileFieldsMark+": {}"), []byte(properties), 1)
	var shared map[string]json.RawMessage
	if err := json.Unmarshal(data, &shared); err != nil {
		return nil, fmt.Errorf("%s: %w", definitionsFile, err)
	}
	if s.Defs == nil {
		s.Defs = make(map[string]json.RawMessage)
	}
	for todo := [][]byte{file}; len(todo) > 0; todo = todo[1:] {
		for _, m := range definitionRef.FindAllSubmatch(todo[0], -1) {
			name := string(m[1])
			if _, ok := s.Defs[name]; ok {
				continue
			}
			def, ok := shared[name]
			if !ok {
				return nil, fmt.Errorf("refers to %q, which is defined neither in it nor in %s", name, definitionsFile)
			}
			s.Defs[name] = def
			todo = append(todo, def)
		}
	}
	return &s, nil
}
