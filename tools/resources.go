package tools

import (
	"slices"
	"strconv"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"almanac/catalog"
	"almanac/httpmirror"
	"almanac/httpmirror/file"
	"almanac/index/find"
	"almanac/wirejson"
)

// ResourceFiles are the published documents that are resources too. A *httpmirror.Mirror has them.
type ResourceFiles interface {
	// Resources returns every resource and every family of resources.
	Resources() []httpmirror.Resource
	// Resource returns the file whose bytes are the content of a resource.
	Resource(uri string) (*file.File, bool)
	// File returns the file at a path.
	File(path string) (*file.File, bool)
	// Finder returns what finds records by what they are called.
	Finder() (*find.Finder, error)
}

// CacheMillis is how long a client may keep lists and resources, in milliseconds. The data
// changes about once a day, so an hour keeps it fresh enough.
const CacheMillis = 3_600_000

const changesPrefix = "library://changes/" // of the documents of days

// A ResourceContent is the content of a resource: the bytes of a published file.
type ResourceContent struct {
	URI  string
	MIME string
	body []byte
}

// Text returns the content as a string.
func (c *ResourceContent) Text() string { return string(c.body) }

// Append appends the content as the result of resources/read; see Answer.Append.
func (c *ResourceContent) Append(dst []byte, more, meta string) []byte {
	dst = append(dst, `{"contents":[{"uri":`...)
	dst = wirejson.AppendString(dst, c.URI)
	dst = append(dst, `,"mimeType":"`...)
	dst = append(dst, c.MIME...)
	dst = append(dst, `","text":"`...)
	dst = wirejson.AppendEscaped(dst, string(c.body))
	dst = append(dst, `"}],"ttlMs":`...)
	dst = strconv.AppendInt(dst, CacheMillis, 10)
	dst = append(dst, `,"cacheScope":"public"`...)
	if meta != "" {
		dst = append(append(append(dst, `,"_meta":{`...), meta...), '}')
	}
	if more != "" {
		dst = append(append(dst, ','), more...)
	}
	return append(dst, '}')
}

// resources are what agents can read by address.
type resources struct {
	*data
	documents ResourceFiles
	families  []*family
	skills    []skill
	parsed    *lru.Cache[string, *document]
}

// A family is a resource, or those of one URI template.
type family struct {
	httpmirror.Resource
	prefix string // of the URIs, before the expression
	member string // the name of the expression; "" when there is none
	ids    *names // what may stand for it
}

// isMarkdown reports whether the resources are the Markdown form of others.
func (f *family) isMarkdown() bool { return strings.HasSuffix(f.URITemplate, ".md") }

func newResources(d *data, documents ResourceFiles) *resources {
	r := &resources{data: d, documents: documents}
	r.parsed, _ = lru.New[string, *document](maxDocuments) // a size above 0
	same := d.entries.names
	for _, res := range documents.Resources() {
		if !slices.Equal(same.ids, res.IDs) { // of entries, and of the Markdown form after the JSON form
			same = newNames(res.IDs)
		}
		res.IDs = same.ids
		f := &family{Resource: res, ids: same}
		prefix, rest, ok := strings.Cut(res.URITemplate, "{")
		if f.prefix = prefix; ok {
			f.member, _, _ = strings.Cut(rest, "}")
		}
		r.families = append(r.families, f)
	}
	return r
}

// read returns a resource, if there is one. A day to come is not one, although the mirror has a
// document for any day: a model would take an empty one for news.
func (r *resources) read(uri string) (*ResourceContent, bool) {
	if day, ok := strings.CutPrefix(uri, changesPrefix); ok && day != "" && day[0] <= '9' && catalog.Date(strings.TrimSuffix(day, ".md")) > r.today() {
		return nil, false
	}
	if s := r.skill(uri); s != nil {
		return &ResourceContent{uri, file.BareType(file.Markdown), s.body}, true
	}
	f, ok := r.documents.Resource(uri)
	if !ok {
		return nil, false
	}
	return &ResourceContent{uri, file.BareType(f.Type), f.Body}, true
}

// skill returns the skill whose file is at an address, or nil.
func (r *resources) skill(uri string) *skill {
	for i := range r.skills {
		if r.skills[i].uri == uri {
			return &r.skills[i]
		}
	}
	return nil
}

// nearest returns the addresses of resources that someone who wrote uri may have meant.
func (r *resources) nearest(uri string) []string {
	bare, markdown := strings.CutSuffix(uri, ".md")
	for _, f := range r.families {
		if f.member == "" || f.isMarkdown() != markdown {
			continue
		}
		id, ok := strings.CutPrefix(bare, f.prefix)
		if !ok {
			continue
		}
		var near []string
		for _, found := range f.ids.nearest(id) {
			near = append(near, strings.Replace(f.URITemplate, "{"+f.member+"}", found, 1))
		}
		return near
	}
	return nil
}
