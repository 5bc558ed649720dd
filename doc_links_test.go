package ansatz_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docLink matches a link to a symbol in a comment: [Name], [Type.Member], [pkg.Name] or [pkg.Type.Member].
var docLink = regexp.MustCompile(`(?:^|[\s(])\[\*?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,2})\]`)

// linkedPackage is a package with the names that links in comments may have.
type linkedPackage struct {
	files []*ast.File
	names map[string]bool // such as Name and Type.Member
}

// TestDocLinks checks that the links in comments lead to something, as they may not after a renaming.
func TestDocLinks(t *testing.T) {
	for _, fault := range brokenLinks(t, ".") {
		t.Error(fault)
	}
}

// TestBrokenLinks checks that the broken links of two small packages are found, and no others.
func TestBrokenLinks(t *testing.T) {
	dir := t.TempDir()
	for name, source := range map[string]string{"p/p.go": `package p

import other "a/q"

// T is like [other.T], [T.Field], [T.M], [q.T.M], [T.Gone] and [other.Gone].
type T struct{ Field other.T }

// M is not [Gone] ([v]), nor x[i] nor [os.Root].
func (T) M() { _ = v }

var v int
`, "q/q.go": "package q\n\ntype T struct{}\n\nfunc (*T) M() {}\n"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var found []string
	for _, fault := range brokenLinks(t, dir) {
		found = append(found, fault[strings.LastIndex(fault, " ")+1:])
	}
	if want := []string{"[T.Gone]", "[other.Gone]", "[Gone]"}; !slices.Equal(found, want) {
		t.Errorf("%v, want %v", found, want)
	}
}

// brokenLinks returns the links below a folder that name no symbol there, in order. Links to packages that are not there,
// such as those of the standard library, count as good.
func brokenLinks(t *testing.T, root string) (faults []string) {
	t.Helper()
	files, packages := token.NewFileSet(), linkedPackages{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && notOurs(name):
			return filepath.SkipDir
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err == nil {
			packages.add(f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range packages {
		for _, f := range p.files {
			for _, c := range f.Comments {
				for _, m := range docLink.FindAllStringSubmatch(c.Text(), -1) {
					if !packages.resolve(name, f.Imports, m[1]) {
						faults = append(faults, fmt.Sprintf("%s: nothing is called [%s]", files.Position(c.Pos()), m[1]))
					}
				}
			}
		}
	}
	slices.Sort(faults)
	return faults
}

// linkedPackages holds packages by name. Those with the same name count as one.
type linkedPackages map[string]*linkedPackage

// add adds the names of a file. An embedded field gives its type any member.
func (all linkedPackages) add(f *ast.File) {
	p := all[f.Name.Name]
	if p == nil {
		p = &linkedPackage{names: map[string]bool{}}
		all[f.Name.Name] = p
	}
	p.files = append(p.files, f)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = receiver(d.Recv.List[0].Type) + "." + name
			}
			p.names[name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				p.specified(s)
			}
		}
	}
}

// specified adds the names of types, with their members, and of constants and variables.
func (p *linkedPackage) specified(s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			p.names[n.Name] = true
		}
	case *ast.TypeSpec:
		p.names[s.Name.Name] = true
		members := new(ast.FieldList)
		switch of := s.Type.(type) {
		case *ast.StructType:
			members = of.Fields
		case *ast.InterfaceType:
			members = of.Methods
		}
		for _, m := range members.List {
			if len(m.Names) == 0 {
				p.names[s.Name.Name+".*"] = true
			}
			for _, n := range m.Names {
				p.names[s.Name.Name+"."+n.Name] = true
			}
		}
	}
}

// resolve reports whether a link in a package leads to something, in a file with these imports.
func (all linkedPackages) resolve(from string, imports []*ast.ImportSpec, link string) bool {
	first, rest, dotted := strings.Cut(link, ".")
	if names := all[from].names; names[first] {
		return !dotted || names[link] || names[first+".*"]
	}
	if !dotted {
		return false
	}
	for _, i := range imports {
		if i.Name != nil && i.Name.Name == first {
			first = path.Base(strings.Trim(i.Path.Value, `"`))
		}
	}
	p := all[first]
	if p == nil {
		return true
	}
	of, _, _ := strings.Cut(rest, ".")
	return p.names[rest] || p.names[of+".*"]
}
