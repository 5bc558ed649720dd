package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// jsonField is a field that a table in docs/json.md lists.
type jsonField struct {
	path     string
	optional bool
}

// jsonFields returns the fields that the tables of a section list. A row is | `a`, `b[].c` | meaning |.
func jsonFields(section string) []jsonField {
	var fields []jsonField
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*`) \\| (.*) \\|$").FindAllStringSubmatch(section, -1) {
		for _, name := range docSpan.FindAllStringSubmatch(row[1], -1) {
			fields = append(fields, jsonField{name[1], strings.HasPrefix(row[2], "optional")})
		}
	}
	return fields
}

// covers reports whether path is the path of the field, or of a value inside it.
func (f jsonField) covers(path string) bool {
	rest, found := strings.CutPrefix(path, f.path)
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// jsonPaths collects the paths of the values of a JSON document, in the form a.b[].c.
func jsonPaths(at string, v any, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			jsonPaths(strings.TrimPrefix(at+"."+name, "."), x, into)
		}
	case []any:
		for _, x := range v {
			jsonPaths(at+"[]", x, into)
		}
		if len(v) == 0 {
			into[at] = true
		}
	default:
		into[at] = true
	}
}

// checkJSONPage compares the tables of docs/json.md with the JSON that the commands of the same section printed. The
// tables must list every field that was printed, and every field that is not optional must have been printed.
func checkJSONPage(t *testing.T, text string, printed map[string][]byte) {
	t.Helper()
	for _, section := range strings.Split(text, "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		fields, paths := jsonFields(body), map[string]bool{}
		d := json.NewDecoder(bytes.NewReader(printed[title]))
		for {
			var document any
			err := d.Decode(&document)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", title, err)
			}
			jsonPaths("", document, paths)
		}
		if len(fields) == 0 || len(paths) == 0 {
			t.Errorf("%s: %d fields, and %d printed", title, len(fields), len(paths))
		}
		for _, f := range fields {
			there := false
			for p := range paths {
				there = there || f.covers(p)
			}
			if !there && !f.optional {
				t.Errorf("%s: %s was not printed", title, f.path)
			}
		}
		for p := range paths {
			if !slices.ContainsFunc(fields, func(f jsonField) bool { return f.covers(p) }) {
				t.Errorf("%s: %s is in no table", title, p)
			}
		}
	}
}
