package httpmirror

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/wirejson"
)

// A hugoFolder is a folder from which Hugo makes a site.
type hugoFolder struct {
	testing.TB
	dir string
}

// newHugoFolder returns a folder with the configuration and the templates of a folder in testdata, or nil where there is no Hugo.
func newHugoFolder(b *testing.B, dir, templates string) *hugoFolder {
	if _, err := exec.LookPath("hugo"); err != nil {
		b.Log("hugo is not installed")
		return nil
	}
	h := &hugoFolder{b, filepath.Join(dir, templates)}
	if err := os.CopyFS(h.dir, os.DirFS(filepath.Join("testdata", templates))); err != nil {
		b.Fatal(err)
	}
	return h
}

// A hugoPage is the front matter of a page: what it is made from.
type hugoPage struct {
	Title   string   `json:"title"`
	Summary string   `json:"summary,omitempty"`
	Date    string   `json:"date,omitempty"`
	URL     string   `json:"url,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	Outputs []string `json:"outputs,omitempty"`
	Text    bool     `json:"text,omitempty"` // whether text follows
	Doc     any      `json:"doc,omitempty"`
	Feed    any      `json:"feed,omitempty"`
}

// add writes the source of a page: its front matter and its text.
func (h *hugoFolder) add(name string, page hugoPage, text string) {
	page.Text = text != ""
	front, err := wirejson.Indent(page)
	if err != nil {
		h.Fatal(err)
	}
	h.put(path.Join("content", name), append(front, text...))
}

func (h *hugoFolder) put(name string, body []byte) {
	p := filepath.Join(h.dir, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(p), 0o755)
	if err == nil {
		err = os.WriteFile(p, body, 0o644)
	}
	if err != nil {
		h.Fatal(err)
	}
}

// addEntries writes the entries, from which Hugo makes their pages, those of their categories and those of their tags.
func (h *hugoFolder) addEntries(entries []catalog.Entry) {
	for _, e := range entries {
		h.add(path.Join(e.Category, e.ID+".md"), hugoPage{Title: e.Title, Summary: e.Summary, Date: string(e.VerifiedAt), Tags: e.Tags, Doc: e}, "")
	}
}

// writeHugoEntries writes what Hugo makes the pages of the entries from, and paged lists of them by category and by tag, with templates
// that hold nothing but the data. It returns the folder, or "" where there is no Hugo.
func writeHugoEntries(b *testing.B, dir string, entries []catalog.Entry) string {
	h := newHugoFolder(b, dir, "hugo-entries")
	if h == nil {
		return ""
	}
	h.addEntries(entries)
	return h.dir
}

// writeHugo writes what Hugo makes the same documents from as the export that is in dir/site0: the entries, from which it makes their
// lists too; the data of every other document, which it writes as HTML, Markdown and JSON; the items of the feeds, which it writes
// as Atom and JSON; and everything else, which it copies. It returns the folder, or "" where there is no Hugo.
func writeHugo(b *testing.B, dir string, entries []catalog.Entry) string {
	h := newHugoFolder(b, dir, "hugo")
	if h == nil {
		return ""
	}
	h.addEntries(entries)
	h.put("content/pages/_index.md", []byte(`{"title": "pages", "_build": {"render": "never"}}`))
	site := os.DirFS(filepath.Join(dir, "site0"))
	made := make(map[string]bool) // files of the export that Hugo makes
	err := fs.WalkDir(site, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Base(name) == "index.html" {
			h.addDocument(site, name, made)
		}
		return err
	})
	if err == nil {
		err = fs.WalkDir(site, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || made[name] || madeOfEntries(name) {
				return err
			}
			body, err := fs.ReadFile(site, name)
			if feed, ok := strings.CutSuffix(name, ".atom"); ok {
				h.add(path.Join("pages", feed+".md"), hugoPage{Title: name, URL: "/" + feed + "/", Outputs: []string{"atom", "feed"}, Feed: h.read(site, feed+".json")}, "")
			} else {
				h.put("static/"+name, body)
			}
			return err
		})
	}
	if err != nil {
		b.Fatal(err)
	}
	return h.dir
}

// madeOfEntries reports whether Hugo makes a file of an export, or what stands for it, from the entries.
func madeOfEntries(name string) bool {
	for _, folder := range []string{"library/", "api/entries/", "api/library/", "tags/", "api/tags/"} {
		if strings.HasPrefix(name, folder) {
			return true
		}
	}
	return false
}

// The links of a page to its JSON form and to its Markdown, and its title.
var (
	jsonLink     = regexp.MustCompile(`<link rel="alternate" type="application/(?:ld\+)?json" href="/([^"]+)"`)
	markdownLink = regexp.MustCompile(`<link rel="alternate" type="text/markdown" href="/([^"]+)"`)
	titleOf      = regexp.MustCompile(`<title>([^<]*)</title>`)
)

// addDocument writes the source of a page of the export that is not one of entries, and notes what Hugo makes of it.
func (h *hugoFolder) addDocument(site fs.FS, name string, made map[string]bool) {
	folder := path.Dir(name)
	feed := path.Join(folder, "feed.json")
	_, err := fs.Stat(site, feed)
	hasFeed := err == nil
	if tag, ok := strings.CutPrefix(folder, "tags/"); ok && hasFeed {
		h.add(path.Join("tags", tag, "_index.md"), hugoPage{Title: tag, Feed: h.read(site, feed)}, "")
	}
	if madeOfEntries(name) || folder == "." {
		return
	}
	body, err := fs.ReadFile(site, name)
	if err != nil {
		h.Fatal(err)
	}
	document, text := jsonLink.FindSubmatch(body), markdownLink.FindSubmatch(body)
	if document == nil || text == nil {
		return
	}
	page := hugoPage{Title: string(titleOf.FindSubmatch(body)[1]), URL: "/" + folder + "/", Outputs: []string{"html", "md", "json"}}
	made[name], made[string(document[1])], made[string(text[1])] = true, true, true
	if hasFeed {
		page.Outputs, page.Feed = append(page.Outputs, "atom", "feed"), h.read(site, feed)
		made[feed], made[path.Join(folder, "feed.atom")] = true, true
	}
	doc, _ := h.read(site, string(document[1])).(map[string]any)
	article, _ := doc["body"].(string)
	delete(doc, "body")
	page.Doc = doc
	h.add(path.Join("pages", folder+".md"), page, article)
}

// read returns a JSON file of the export.
func (h *hugoFolder) read(site fs.FS, name string) (doc any) {
	body, err := fs.ReadFile(site, name)
	if err == nil {
		err = json.Unmarshal(body, &doc)
	}
	if err != nil {
		h.Fatal(err)
	}
	return doc
}

// hugoRun runs Hugo in a folder.
func hugoRun(b *testing.B, base, name string) usage {
	u := runMeasured(b, base, "hugo", "--quiet", "--destination", name)
	if files, _ := sizeOfTree(b, filepath.Join(base, name)); files < 100 {
		b.Errorf("hugo made only %d files", files)
	}
	return u
}
