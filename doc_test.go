package ansatz_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEverythingIsDocumented checks that every package has a comment, and that every exported symbol has one, which
// begins with its name as go doc wants it.
func TestEverythingIsDocumented(t *testing.T) {
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if notOurs(p) {
			return filepath.SkipDir
		}
		for _, fault := range undocumented(t, p) {
			t.Error(fault)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestUndocumented checks that all faults of a small package are found.
func TestUndocumented(t *testing.T) {
	dir := t.TempDir()
	const source = `package p

func F() {}

// Does something.
func G() {}

// A T is a thing.
type T struct{}

func (T) M()  {}
func (*T) N() {}
func (T) m()  {}

const A = 1

const (
	B = 1
	C = 2 // the second
)

// These are numbers.
const (
	D = 1
	E = 2
)

type hidden struct{}

func (hidden) M() {}

// oldName does something.
func newName() {}

type Generic[K any] struct{}

func (*Generic[K]) M() {}
`
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"package p", "F", "G", "T.M", "T.N", "A", "B", "newName", "Generic", "Generic.M",
	}
	found := undocumented(t, dir)
	if len(found) != len(want) {
		t.Fatalf("%d faults, want %d:\n%s", len(found), len(want), strings.Join(found, "\n"))
	}
	for i, w := range want {
		if !strings.Contains(found[i], ": "+w+" ") {
			t.Errorf("fault %d is %q, want one of %s", i, found[i], w)
		}
	}
}

// undocumented returns the faults in the comments of the package in a folder, each with its place.
func undocumented(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var faults []string
	said := map[string]bool{} // whether a package has a comment
	files := token.NewFileSet()
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, p, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		said[f.Name.Name] = said[f.Name.Name] || f.Doc.Text() != ""
		for _, d := range f.Decls {
			if fault := misnamed(d); fault != "" {
				faults = append(faults, fmt.Sprintf("%s: %s", files.Position(d.Pos()), fault))
			}
			for _, s := range symbols(d) {
				if fault := s.fault(); fault != "" {
					faults = append(faults, fmt.Sprintf("%s: %s %s", files.Position(s.at), s.name, fault))
				}
			}
		}
	}
	for name, is := range said {
		if !is {
			faults = append([]string{fmt.Sprintf("%s: package %s has no comment", dir, name)}, faults...)
		}
	}
	return faults
}
