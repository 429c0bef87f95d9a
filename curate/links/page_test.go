package links

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"go.almanac.example/catalog"
)

// TestOtherPages: a page that says that it is not there, or that wants a log-in, is not what was asked for, whatever its
// status; its status goes into no record. Pages that only speak of such things are what was asked for.
func TestOtherPages(t *testing.T) {
	page := func(title string) string { return "<!doctype html><head><title>" + title + "</title></head><p>text" }
	bodies := map[string]struct {
		body, kind string
	}{
		"/real":           {page("MQTT Version 5.0"), ""},
		"/plain-words":    {page("What to do when a page is not found by readers | Docs"), ""},
		"/specs/404":      {page("404 Not Found - HTTP | MDN"), ""},
		"/auth-spec":      {page("Authentication and how to log in"), ""},
		"/soft":           {page("Page not found · Example"), kindMissing},
		"/soft-404":       {page("Error 404"), ""}, // its address says that this is its subject
		"/number":         {page("404 | Example"), kindMissing},
		"/both":           {page("404 - Page not found - Example"), kindMissing},
		"/sorry":          {page("Sorry, this page isn’t available"), kindMissing},
		"/sentence":       {page("The page you are looking for does not exist"), kindMissing},
		"/entity":         {page("Page not found &#8211; Example"), kindMissing},
		"/login-in-place": {page("Sign in to Example") + `<form><input type="password" name="p">`, kindLogin},
		"/newsletter":     {page("MQTT Version 5.0") + `<form><input type="password" name="p">`, ""},
		"/empty":          {"", ""},
		"/cut":            {"<!doctype html><head><title>Page not fou", ""},
		"/account/login":  {page("Welcome"), ""},
		"/":               {page("Example"), ""},
	}
	redirects := map[string]struct{ to, kind string }{
		"/private/spec.html": {"/account/login", kindLogin},
		"/docs/old/spec":     {"/", kindMissing},
		"/index.html":        {"/", ""},
		"/docs/new/spec":     {"/real", kindMoved},
		"/gone/spec":         {"/soft", kindMissing},
	}
	port := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to, ok := redirects[r.URL.Path]; ok {
			http.Redirect(w, r, to.to, http.StatusMovedPermanently)
			return
		}
		b, ok := bodies[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, b.body)
	}))
	want := make(map[string]string)
	for path, b := range bodies {
		want[path] = b.kind
	}
	for path, r := range redirects {
		want[path] = r.kind
	}
	want["/index.html"] = kindMoved
	for path, kind := range want {
		t.Run(path, func(t *testing.T) {
			cfg, _ := testConfig(t)
			o := New(cfg).check(t.Context(), catalog.Address{Record: "x", URL: fmt.Sprintf("http://a.test:%s%s", port, path)}, testAttempts)
			if o.Kind != kind || o.Status != 200 {
				t.Errorf("got kind %q, status %d, %q; want %q", o.Kind, o.Status, o.Detail, kind)
			}
			if other := kind == kindMissing || kind == kindLogin; o.Answered() == other || o.Broken() != other {
				t.Errorf("kind %q: answered %v, broken %v", kind, o.Answered(), o.Broken())
			}
		})
	}
}
