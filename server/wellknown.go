package server

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/l402"
	"go.almanac.example/mcpserver"
)

// The bounds of the files of -well-known, which are proofs that a host is the operator's.
const (
	maxProofs     = 100
	maxProofBytes = 64 << 10
)

// proofName is the name of a proof in the directory, which is its address: below .well-known (RFC 8615), or a text at the
// root of the host, such as the key of IndexNow.
var proofName = regexp.MustCompile(`^(\.well-known(/[A-Za-z0-9][A-Za-z0-9._-]*)+|[A-Za-z0-9][A-Za-z0-9_-]*\.txt)$`)

// readProofs returns the files of a directory by their paths on the host; none if dir is "". It refuses links, names of
// other addresses, those that the service answers itself, and more or larger files than the bounds.
func readProofs(dir string, mirror *httpmirror.Mirror) (map[string][]byte, error) {
	if dir == "" {
		return nil, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	proofs := make(map[string][]byte)
	return proofs, fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch _, taken := mirror.File("/" + name); {
		case err != nil || e.IsDir():
			return err
		case !e.Type().IsRegular():
			return fmt.Errorf("%s is a link or a device: put a copy of the file there", name)
		case !proofName.MatchString(name):
			return fmt.Errorf("%s is not the address of a proof: only files below .well-known and texts such as key.txt are served; remove it", name)
		case taken, slices.Contains(mcpserver.CardPaths, "/"+name):
			return fmt.Errorf("the service answers /%s itself: remove the file", name)
		case len(proofs) == maxProofs:
			return fmt.Errorf("there are more than %d files: remove some", maxProofs)
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		body, err := io.ReadAll(io.LimitReader(f, maxProofBytes+1))
		if len(body) > maxProofBytes {
			return fmt.Errorf("%s has more than %d bytes", name, maxProofBytes)
		}
		proofs["/"+name] = body
		return err
	})
}

// handleProofs serves the files of -well-known beside the addresses of the program.
func (p *publisher) handleProofs(mux *http.ServeMux, s *snapshot) {
	for path, body := range s.proofs {
		mediaType := file.Text
		if strings.HasSuffix(path, ".json") {
			mediaType = file.JSON
		}
		h := p.fixed(file.New(path, mediaType, body), "no-cache") // a proof may be replaced
		mux.Handle(path, h)
		if root := catalog.Root(p.site.Base); root != "" {
			mux.Handle(root+path, h)
		}
	}
}

// fixed serves a file beside those of the mirror, to pages in a browser too. control says how long it may be kept.
func (p *publisher) fixed(f *file.File, control string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		httpmirror.SetSecurityHeaders(h, p.site)
		if !l402.Allow(w, r, p.problems.Write, http.MethodGet, http.MethodHead) {
			return
		}
		h.Set("Content-Type", f.Type)
		h.Set("ETag", f.Headers.ETag[0])
		h.Set("Cache-Control", control)
		h.Set("Access-Control-Expose-Headers", "ETag")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.Body))
	}
}
