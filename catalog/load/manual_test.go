package load

import (
	"flag"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

var update = flag.Bool("update", false, "write the table of a profile's fields into the manual")

// The curator's manual knows every member of every record, every kind of file, and every list of
// allowed words. Its example is a real record.
func TestManual(t *testing.T) {
	data, err := os.ReadFile("../../fixtures/README.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| field | subject | classes |\n|---|---|---|\n"
	for _, f := range new(catalog.Profile).Fields() {
		classes := strings.Join(f.Words, "`, `")
		if classes != "" {
			classes = "`" + classes + "`"
		}
		table += strings.TrimSuffix("| `"+f.Name+"` | "+f.About+" | "+classes, " ") + " |\n"
	}
	manual := regexp.MustCompile(`\| field \| subject \| classes \|\n(\|.*\n)+`).ReplaceAllLiteralString(string(data), table)
	if *update {
		if err := os.WriteFile("../../fixtures/README.md", []byte(manual), 0o644); err != nil {
			t.Fatal(err)
		}
		data = []byte(manual)
	} else if manual != string(data) {
		t.Error("the fields of a profile in fixtures/README.md are not those of catalog.Profile: run go test ./catalog/load -run TestManual -update")
	}
	sections := make(map[string]string)
	for _, s := range strings.Split(string(data), "\n## ") {
		title, body, _ := strings.Cut(s, "\n")
		sections[title] = body
	}
	for _, tt := range []struct {
		section string
		record  reflect.Type
	}{
		{"Add a library entry", reflect.TypeFor[catalog.Entry]()},
		{"Facts about a protocol", reflect.TypeFor[catalog.Protocol]()},
		{"The profile of a protocol", reflect.TypeFor[catalog.Profile]()},
		{"The flow of a protocol", reflect.TypeFor[catalog.Flow]()},
		{"Evidence", reflect.TypeFor[catalog.EvidenceRecord]()},
		{"Assets of networks", reflect.TypeFor[catalog.AssetRecord]()},
		{"Write an article", reflect.TypeFor[catalog.Article]()},
		{"News", reflect.TypeFor[catalog.NewsItem]()},
		{"Describe a dataset", reflect.TypeFor[catalog.Dataset]()},
		{"Questions", reflect.TypeFor[catalog.QuestionRecord]()},
		{"Categories and tags", reflect.TypeFor[catalog.CategoryRecord]()},
		{"Categories and tags", reflect.TypeFor[catalog.TagRecord]()},
		{"The site", reflect.TypeFor[catalog.Identity]()},
		{"Tips", reflect.TypeFor[catalog.SupportRecord]()},
		{"The trust checklist", reflect.TypeFor[catalog.TrustRecord]()},
		{"The link checker", reflect.TypeFor[catalog.Bot]()},
	} {
		body, ok := sections[tt.section]
		if !ok {
			t.Errorf("the manual has no section %q", tt.section)
		}
		for _, name := range members(tt.record) {
			if !strings.Contains(body, "`"+name+"`") {
				t.Errorf("section %q does not tell of %q", tt.section, name)
			}
		}
	}
	words := append([]string{maxWord(maxQuestions), maxWord(maxQuestion), maxWord(maxSlug), maxWord(limits["title"]), maxWord(limits["summary"]), LinkReportFile}, catalog.EntryTypes...)
	words = append(append(words, catalog.ColumnTypes...), catalog.CopyKinds...)
	words = append(append(words, maxWord(limits["short"]), maxWord(limits["quote"]), maxWord(limits["name"])), catalog.ProfileKinds...)
	for _, actor := range catalog.FlowActors {
		words = append(words, "`"+actor+"`")
	}
	for _, pattern := range []string{
		"library/<category>/<id>.json", "protocols/<id>.json", "assets/<protocol>.json", "evidence/<record>.json", "profiles/<id>.json", "flows/<id>.json", "articles/<slug>/article.json", "articles/<slug>/article.md",
		"datasets/<slug>/card.json", "datasets/<slug>/README.md", "news/<day>-<slug>.json", "questions/<kind>/<id>.json", "bots/link-checker.json", categoriesFile, tagsFile, siteFile, supportFile, trustFile,
	} {
		words = append(words, "`"+pattern+"`")
	}
	for name := range catalog.DatasetColumns() {
		words = append(words, "`"+name+"`")
	}
	for _, w := range words {
		if !strings.Contains(string(data), w) {
			t.Errorf("the manual does not say %q", w)
		}
	}
	example := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(data)
	real, err := os.ReadFile("../../fixtures/" + mqtt)
	if err != nil || example == nil || string(example[1]) != string(real) {
		t.Errorf("the example of the manual is not %s", mqtt)
	}
}

func maxWord(n int) string { return " " + strconv.Itoa(n) }

// members returns the names of all JSON members of a record, those of its parts included.
func members(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for name, ft := range jsonFields(t) {
		names = append(append(names, name), members(ft)...)
	}
	return names
}
