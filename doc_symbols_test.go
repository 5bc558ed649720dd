package ansatz_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
)

// symbol is an exported symbol with its comment.
type symbol struct {
	name string // TYPE.METHOD for a method
	doc  string
	// named says that the comment is about this symbol alone, and has to begin with its name.
	named bool
	at    token.Pos
}

// fault returns what is wrong with a symbol's comment, "" if nothing is.
func (s symbol) fault() string {
	if strings.TrimSpace(s.doc) == "" {
		return "has no comment"
	}
	name := s.name[strings.LastIndex(s.name, ".")+1:]
	if !s.named {
		return ""
	}
	for _, article := range []string{"", "A ", "An ", "The "} {
		if rest, is := strings.CutPrefix(s.doc, article+name); is && !letter(rest) {
			return ""
		}
	}
	return "has a comment that does not begin with its name"
}

// otherName matches the first word of a comment if it can only be a name in Go, such as otherName.
var otherName = regexp.MustCompile(`^[a-z]+[A-Z][A-Za-z0-9]*\b`)

// misnamed returns what is wrong with the comment of a function or type that begins with another name, as after a
// renaming, "" if nothing is.
func misnamed(d ast.Decl) string {
	name, doc := "", ""
	switch d := d.(type) {
	case *ast.FuncDecl:
		name, doc = d.Name.Name, d.Doc.Text()
	case *ast.GenDecl:
		if len(d.Specs) != 1 {
			break
		}
		if spec, is := d.Specs[0].(*ast.TypeSpec); is {
			name, doc = spec.Name.Name, d.Doc.Text()
		}
	}
	if word := otherName.FindString(doc); word != "" && word != name {
		return name + " has a comment that begins with another name, " + word
	}
	return ""
}

// letter reports whether a text continues the word before it: it begins with a letter or a digit.
func letter(rest string) bool {
	return rest != "" && (rest[0] >= 'a' && rest[0] <= 'z' || rest[0] >= 'A' && rest[0] <= 'Z' || rest[0] >= '0' && rest[0] <= '9')
}

// symbols returns the exported symbols of a declaration.
func symbols(d ast.Decl) []symbol {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return function(d)
	case *ast.GenDecl:
		var all []symbol
		for _, s := range d.Specs {
			all = append(all, specified(d, s)...)
		}
		return all
	}
	return nil
}

// function returns the symbol of a function, or of a method of an exported type, if it is exported.
func function(d *ast.FuncDecl) []symbol {
	name := d.Name.Name
	if d.Recv != nil {
		of := receiver(d.Recv.List[0].Type)
		if !ast.IsExported(of) {
			return nil
		}
		name = of + "." + name
	}
	if !d.Name.IsExported() {
		return nil
	}
	return []symbol{{name, d.Doc.Text(), true, d.Pos()}}
}

// receiver returns the name of the type of a method.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// specified returns the exported types, constants and variables of one line of a declaration. If the line has no
// comment, that of the whole declaration counts.
func specified(d *ast.GenDecl, s ast.Spec) []symbol {
	switch s := s.(type) {
	case *ast.TypeSpec:
		doc, named := s.Doc.Text(), true
		if doc == "" {
			doc, named = d.Doc.Text(), !d.Lparen.IsValid()
		}
		if s.Name.IsExported() {
			return []symbol{{s.Name.Name, doc, named, s.Pos()}}
		}
	case *ast.ValueSpec:
		doc := s.Doc.Text() + s.Comment.Text()
		if doc == "" {
			doc = d.Doc.Text()
		}
		var all []symbol
		for _, n := range s.Names {
			if n.IsExported() {
				all = append(all, symbol{n.Name, doc, !d.Lparen.IsValid(), n.Pos()})
			}
		}
		return all
	}
	return nil
}
