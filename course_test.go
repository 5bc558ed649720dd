package ansatz_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// courseLink matches a link from a step of the course to an example.
	courseLink = regexp.MustCompile(`\[(Example\w*)\]\(([^)]+)\)`)
	// courseBlock matches a quotation of Go code, or of what an example prints.
	courseBlock = regexp.MustCompile("(?s)```(go|text)\n(.*?)```")
)

// TestCourse compares docs/course.md with the examples that it links to. They must exist and have an output, so that
// they are run. What a step quotes must stand in one of its examples. Each example in their files must belong to a
// step.
func TestCourse(t *testing.T) {
	text, err := os.ReadFile("docs/course.md")
	if err != nil {
		t.Fatal(err)
	}
	steps := strings.Split(string(text), "\n## ")[1:]
	if len(steps) < 8 {
		t.Errorf("%d steps", len(steps))
	}
	files := map[string]*exampleFile{}
	linked := map[string]bool{}
	for _, step := range steps {
		title, _, _ := strings.Cut(step, "\n")
		links := courseLink.FindAllStringSubmatch(step, -1)
		if len(links) == 0 {
			t.Errorf("%s: no example", title)
		}
		var source, outputs string
		for _, l := range links {
			name, path := strings.TrimPrefix(l[1], "Example"), filepath.Join("docs", l[2])
			if files[path] == nil {
				files[path] = readExamples(t, path)
			}
			f := files[path]
			linked[path+" "+name] = true
			output, there := f.outputs[name]
			if !there {
				t.Errorf("%s: %s has no Example%s with an output, so that it is not run", title, path, name)
			}
			source, outputs = source+f.source, outputs+output
		}
		for _, q := range courseBlock.FindAllStringSubmatch(step, -1) {
			if in := map[string]string{"go": source, "text": outputs}[q[1]]; !strings.Contains(flush(in), flush(q[2])) {
				t.Errorf("%s: in no example of the step:\n%s", title, q[2])
			}
		}
	}
	for path, f := range files {
		for name := range f.outputs {
			if !linked[path+" "+name] {
				t.Errorf("Example%s of %s is in no step", name, path)
			}
		}
	}
}

// exampleFile is a file of examples: its source, and what the examples print.
type exampleFile struct {
	source  string
	outputs map[string]string // by name, without Example
}

// readExamples reads those examples of a file that are run.
func readExamples(t *testing.T, path string) *exampleFile {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	f := &exampleFile{string(text), map[string]string{}}
	for _, e := range doc.Examples([]*ast.File{parsed}...) {
		if e.Output != "" || e.EmptyOutput {
			f.outputs[e.Name] = e.Output
		}
	}
	return f
}

// flush returns a text without the blanks at the beginning and the end of its lines.
func flush(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return strings.Join(lines, "\n")
}
