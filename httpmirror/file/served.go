package file

import (
	"fmt"
	"strconv"
	"strings"
)

// Prepare makes the header values of the answers with f. It must be called once before f is served.
func (f *File) Prepare() {
	plain := Representation{
		Body: f.Body, Type: []string{f.Type}, Length: []string{strconv.FormatInt(f.Size(), 10)}, ETag: []string{f.ETag()}, disk: f.disk, size: f.size,
	}
	if len(f.Alternates) > 0 {
		links := make([]string, len(f.Alternates))
		for i, a := range f.Alternates {
			links[i] = fmt.Sprintf("<%s>; rel=\"alternate\"; type=%q", a.Path, a.Type)
		}
		plain.Link = []string{strings.Join(links, ", ")}
	}
	f.served.plain = plain
}

// Representation returns the file in a coding, or as it is when compressing does not make it smaller. It is compressed when it is
// first asked for, and then kept.
func (f *File) Representation(c Coding) *Representation {
	if c == Identity || f.Size() < MinCoded {
		return &f.served.plain
	}
	coded := &f.served.coded[c]
	if v := coded.made.Load(); v != nil {
		return v
	}
	coded.making.Lock()
	defer coded.making.Unlock()
	if v := coded.made.Load(); v != nil {
		return v
	}
	v := f.compressed(c)
	coded.made.Store(v)
	if f.served.grow != nil && v != &f.served.plain {
		f.served.grow(cost(int64(len(v.Body)), v.size))
	}
	return v
}

// compressed returns the file in a coding, or as it is.
func (f *File) compressed(c Coding) *Representation {
	v := f.served.plain
	if f.disk == nil {
		v.Body = c.Compress(f.Body)
	} else {
		var err error
		if v.disk, v.size, err = c.compressTo(f.Open()); err != nil {
			return &f.served.plain // a disk that is full does not take the file away
		}
	}
	size := int64(len(v.Body)) + v.size
	if size >= f.Size() {
		return &f.served.plain
	}
	// The bytes differ, and so must a strong validator.
	v.Length = []string{strconv.FormatInt(size, 10)}
	v.ETag, v.Coding = []string{`"` + f.tag() + "-" + c.String() + `"`}, []string{c.String()}
	return &v
}
