package catalog

import "io/fs"

// Rewrite gives the canonical bytes of every record file below fsys that is not in canonical
// form, by path. A file that has another fault is not among them: rewriting it could lose what
// its author meant. Those faults are the error, of type Faults; the rewrites are valid beside it.
func Rewrite(fsys fs.FS) (map[string][]byte, error) {
	r := newReader(fsys)
	r.faults.rewrite = make(map[string][]byte)
	r.readAll()
	return r.faults.rewrite, r.faults.err()
}
