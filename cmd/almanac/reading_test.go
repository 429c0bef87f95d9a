package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// upwardReferences are the most references between the files of a package that may run against the order in which the
// files are best read, by package; a package that is not listed may have none. Lower a number when the package gets better.
var upwardReferences = map[string]int{
	"cmd/almanac":           2,
	"index":                 5,
	"index/postings":        3,
	"index/text":            1,
	"l402":                  3,
	"l402/ledger":           1,
	"l402/lnd/simnet":       2,
	"mcpserver/conformance": 1,
}

// TestReadingOrder: a package can be read from the top file to the bottom file, each using only what is declared in files below it, but for as
// many references as the table allows. With -v it prints the figures and the order of every package;
// ALMANAC_MODULE=DIR measures another copy of the module instead, without a verdict.
func TestReadingOrder(t *testing.T) {
	root, judged := "../..", true
	if dir := os.Getenv("ALMANAC_MODULE"); dir != "" {
		root, judged = dir, false
	}
	sum, upSum := 0, 0
	for _, p := range listPackages(t, root) {
		order, arrows, up := readingOrder(fileReferences(t, p))
		sum, upSum = sum+arrows, upSum+len(up)
		if arrows > 0 {
			t.Logf("%s: %d files, %d references between them, %d against the reading order", p.name, len(order), arrows, len(up))
			t.Logf("    %s", strings.Join(order, " "))
			for _, ref := range up {
				t.Logf("    against it: %s", ref)
			}
		}
		if judged && len(up) > upwardReferences[p.name] {
			t.Errorf("%s: %d references run against the best reading order, the table allows %d:\n\t%s\nMove what is declared too high into a file that both can stand on.",
				p.name, len(up), upwardReferences[p.name], strings.Join(up, "\n\t"))
		}
	}
	t.Logf("the module: %d references between files, %d against the reading order", sum, upSum)
}

// A listedPackage is a package of the module with the files that are built by default, generated ones left out.
type listedPackage struct {
	name    string // without the module
	dir     string
	files   []string
	exports map[string]string // export data of everything it imports, by import path
	imports map[string]string // what an import in its source stands for, where that differs
}

// listPackages returns the packages of the module at root, by name.
func listPackages(t *testing.T, root string) []listedPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,ImportMap,Module", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list in %s: %v", root, err)
	}
	exports := make(map[string]string)
	var list []listedPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
			ImportMap               map[string]string
			Module                  *struct{ Main bool }
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Main {
			list = append(list, listedPackage{strings.TrimPrefix(p.ImportPath, "almanac/"), p.Dir, p.GoFiles, exports, p.ImportMap})
		}
	}
	slices.SortFunc(list, func(a, b listedPackage) int { return cmp.Compare(a.name, b.name) })
	return list
}

// fileReferences returns, for each file of a package, the other files that declare something it uses.
func fileReferences(t *testing.T, p listedPackage) map[string][]string {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	uses := make(map[string]map[string]bool)
	for _, name := range p.files {
		f, err := parser.ParseFile(set, filepath.Join(p.dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		if !ast.IsGenerated(f) {
			uses[name] = make(map[string]bool)
		}
	}
	lookup := func(path string) (io.ReadCloser, error) {
		if to, ok := p.imports[path]; ok {
			path = to
		}
		return os.Open(p.exports[path])
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	pkg, err := (&types.Config{Importer: importer.ForCompiler(set, "gc", lookup)}).Check(p.name, set, files, info)
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	for ident, object := range info.Uses {
		if object.Pkg() != pkg || !declaredOutside(object, pkg) {
			continue
		}
		from, to := filepath.Base(set.Position(ident.Pos()).Filename), filepath.Base(set.Position(object.Pos()).Filename)
		if from != to && uses[from] != nil && uses[to] != nil {
			uses[from][to] = true
		}
	}
	refs := make(map[string][]string)
	for from, to := range uses {
		refs[from] = slices.Sorted(maps.Keys(to))
	}
	return refs
}

// declaredOutside reports whether an object is declared outside functions: methods and fields count, variables within functions do not.
func declaredOutside(o types.Object, pkg *types.Package) bool {
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	if v, ok := o.(*types.Var); ok && v.IsField() {
		return true
	}
	return o.Parent() == pkg.Scope()
}

// readingOrder returns the files in an order with as few references as can be found from a later file to an earlier one,
// the number of references, and those that run against the order.
func readingOrder(refs map[string][]string) (order []string, arrows int, up []string) {
	for _, group := range circles(refs) {
		order = append(order, bestOrder(group, refs)...)
	}
	for i, from := range order {
		for _, to := range refs[from] {
			arrows++
			if slices.Index(order, to) < i {
				up = append(up, from+" uses "+to)
			}
		}
	}
	return order, arrows, up
}

// circles returns the strongly connected components of a graph (Tarjan), users before what they use.
func circles(refs map[string][]string) (groups [][]string) {
	index, low := make(map[string]int), make(map[string]int)
	var stack []string
	var visit func(v string)
	visit = func(v string) {
		index[v], low[v] = len(index)+1, len(index)+1
		stack = append(stack, v)
		for _, w := range refs[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if slices.Contains(stack, w) {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] == index[v] {
			at := slices.Index(stack, v)
			groups = append(groups, slices.Sorted(slices.Values(stack[at:])))
			stack = stack[:at]
		}
	}
	for _, v := range slices.Sorted(maps.Keys(refs)) {
		if index[v] == 0 {
			visit(v)
		}
	}
	slices.Reverse(groups)
	return groups
}

// exactUpTo is the largest circle of files whose best order is found by trying all; larger ones are improved from many starts.
const (
	exactUpTo = 18
	starts    = 500
)

// bestOrder returns an order of the files of one circle with few references from a later to an earlier one.
func bestOrder(files []string, refs map[string][]string) []string {
	uses := make([]uint64, len(files)) // as sets of bits
	for i, from := range files {
		for _, to := range refs[from] {
			if j := slices.Index(files, to); j >= 0 {
				uses[i] |= 1 << j
			}
		}
	}
	var best []int
	if len(files) <= exactUpTo {
		best = exactOrder(uses)
	} else {
		random := rand.New(rand.NewPCG(1, 2)) // the same in every run
		best = improve(uses, byDegree(uses))
		for range starts {
			if order := improve(uses, random.Perm(len(files))); upward(uses, order) < upward(uses, best) {
				best = order
			}
		}
	}
	sorted := make([]string, len(files))
	for i, f := range best {
		sorted[i] = files[f]
	}
	return sorted
}

// upward counts the references that run against an order.
func upward(uses []uint64, order []int) (n int) {
	above := uint64(0)
	for _, f := range order {
		n += bits.OnesCount64(uses[f] & above)
		above |= 1 << f
	}
	return n
}

// exactOrder finds the best order by dynamic programming over the sets of files that come first.
func exactOrder(uses []uint64) []int {
	n := len(uses)
	cost, last := make([]uint16, 1<<n), make([]int8, 1<<n)
	for set := 1; set < 1<<n; set++ {
		cost[set] = 1<<16 - 1
		for rest := set; rest != 0; rest &= rest - 1 {
			f := bits.TrailingZeros(uint(rest))
			before := set &^ (1 << f)
			if c := cost[before] + uint16(bits.OnesCount64(uses[f]&uint64(before))); c < cost[set] {
				cost[set], last[set] = c, int8(f)
			}
		}
	}
	order := make([]int, n)
	for set, i := 1<<n-1, n-1; i >= 0; i-- {
		order[i] = int(last[set])
		set &^= 1 << last[set]
	}
	return order
}

// byDegree begins with the files that use more than they are used.
func byDegree(uses []uint64) []int {
	order, degree := make([]int, len(uses)), make([]int, len(uses))
	for i, set := range uses {
		order[i] = i
		degree[i] += bits.OnesCount64(set)
		for rest := set; rest != 0; rest &= rest - 1 {
			degree[bits.TrailingZeros64(rest)]--
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return degree[b] - degree[a] })
	return order
}

// improve moves each file to its best place until no move helps.
func improve(uses []uint64, order []int) []int {
	for moved := true; moved; {
		moved = false
		for f := range uses {
			at := slices.Index(order, f)
			rest := slices.Delete(slices.Clone(order), at, at+1)
			gain, here := 0, 0 // how many fewer references run upward than with f at the top
			best, place := 0, 0
			for i := range order {
				if i == at {
					here = gain
				}
				if gain > best {
					best, place = gain, i
				}
				if i < len(rest) {
					gain += int(uses[rest[i]]>>f&1) - int(uses[f]>>rest[i]&1)
				}
			}
			if best > here {
				order, moved = slices.Insert(rest, place, f), true
			}
		}
	}
	return order
}
