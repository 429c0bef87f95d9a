package httpmirror

import (
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/problem"
)

// find gives the file at a path. A day of the change feed on which nothing was verified is no
// file of the mirror, and gets one made for the answer.
func (m *Mirror) find(path string) (*file.File, error) {
	if f, ok := m.files[path]; ok {
		return f, nil
	}
	name, isJSON, ok := dayIn(path)
	if !ok || !isJSON && m.dayPage == nil {
		return nil, problem.Errorf(problem.NotFound,
			"Nothing is published at this address. %s lists every file.", m.cat.Site().URL(catalog.ManifestPath))
	}
	day, err := catalog.ParseDate(name)
	if err != nil {
		return nil, problem.Errorf(problem.NotFound, "The change feed has no such day: %v.", err)
	}
	f, err := m.emptyDay(day, isJSON)
	if err != nil {
		return nil, fmt.Errorf("render the change feed of %s: %w", day, err)
	}
	return f, nil
}

// dayIn gives the part of a path of the change feed that stands for the day.
func dayIn(path string) (name string, isJSON, ok bool) {
	if rest, found := strings.CutPrefix(path, "/api/changes/"); found {
		name, ok = strings.CutSuffix(rest, ".json")
		return name, true, ok && !strings.Contains(name, "/")
	}
	if rest, found := strings.CutPrefix(path, catalog.ChangesIndexPath); found {
		name, ok = strings.CutSuffix(rest, "/")
		return name, false, ok && !strings.Contains(name, "/")
	}
	return "", false, false
}

// emptyDay makes the document or the page of a day without changes.
func (m *Mirror) emptyDay(day catalog.Date, isJSON bool) (*file.File, error) {
	doc := m.cat.Changes(day)
	var f *file.File
	if isJSON {
		body, err := encodeJSON(doc)
		if err != nil {
			return nil, err
		}
		f = file.New(catalog.ChangesJSONPath(day), file.JSON, body)
	} else {
		body, err := m.dayPage(doc)
		if err != nil {
			return nil, err
		}
		f = file.New(catalog.ChangesPath(day), file.HTML, body, file.Alternate{Type: file.JSON, Path: catalog.ChangesJSONPath(day)})
	}
	f.Prepare()
	return f, nil
}
