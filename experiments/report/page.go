package report

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
)

// Page is a report: what is claimed first, then figures and tables, and at the
// foot where they come from.
type Page struct {
	Title string
	Lead  string // the one or two sentences that a reader takes away
	// Command is the command that makes the page. Sections without one of their own offer it with their figures.
	Command    string
	Sections   []Section
	Provenance []Fact // version, backend, machine, data checksum, conventions, …
	// Panels are figures of the page, in the order in which a paper prints them as panels of one figure. From two on,
	// Save assembles them: see [Assemble].
	Panels []Figure
}

// Section is a part of a page under one heading. It shows, in this order, its
// paragraphs, its folded background, its explorer, the tables that lead, its figures, its tables, its facts, its details
// and its parts.
type Section struct {
	Heading string
	// ID is what links go to: a name as a figure's, unique in a page whatever its
	// case; "" for a number. It does not start with "section-", "figure-" or "table-".
	ID   string
	Note string // a word or two that stand beside the heading in the contents
	// Command is the command that makes the section's figures, "" if it is not known. The page offers to copy it.
	Command string
	Text    []string // paragraphs
	// Folded is what a reader of the paragraphs may ask for next.
	Folded []Detail
	// Explorer is the interactive view of a network, nil for none. A page has at most one.
	Explorer *explorer.Document
	Lead     []Table
	Facts    []Fact // conventions and settings behind the section
	Figures  []Figure
	Tables   []Table
	Details  []Detail
	// Parts are the sections of a chapter, under smaller headings. They have none of
	// their own. A page with chapters has its contents beside it.
	Parts []Section
}

// Detail is what is shown when asked for: folded away behind its summary.
type Detail struct {
	Summary string
	Text    []string
	List    []string // items, after the paragraphs
	Facts   []Fact
	Tables  []Table
}

// Fact is a named value, shown as a line of a compact list.
type Fact struct {
	Name, Value string
}

// Figure is a finished picture.
//
// Name is a file stem, unique in a page whatever its case: letters, digits, '-', '_' and '.', starting with a letter or a
// digit. Alt says in words what the picture shows, for those who cannot see it. At least one of SVG and PNG is present, or the
// JPEG that [Figure.Within] puts in place of a large PNG; a page shows the SVG if there is one. PDF is for print, nil for none.
// A figure that was drawn here has its PDF and PNG once [Figure.Rendered] has made them, as [Page.Save] does. CSV is the
// numbers that the picture shows, one a line under the names of the columns; nil if it shows none, as a photograph does. Wide
// figures may take more room on the page than the text does.
//
// Description, if not nil, is the picture as data, by which [Figure.Redraw] draws it again. A figure as JSON has its
// description and no pictures.
type Figure struct {
	Name    string `json:"name"`
	Caption string `json:"caption,omitempty"`
	Alt     string `json:"alt,omitempty"`
	SVG     []byte `json:"-"`
	PDF     []byte `json:"-"`
	PNG     []byte `json:"-"`
	JPEG    []byte `json:"-"`
	CSV     []byte `json:"-"`
	Wide    bool   `json:"wide,omitempty"`
	// File is the path of the picture's file beside the page, without its suffix, where it is not figures/NAME.
	File string `json:"-"`

	Description *Description `json:"description,omitempty"`

	width, height int         // pixels of CSS; 0 for those that the picture asks for
	scene         *draw.Scene // what PDF and PNG are rendered from; nil where they are there, or cannot be made
	// draw draws the figure as a panel, nil for one that was not drawn from a description.
	draw func(room) drawing
}

// Empty reports whether the figure has no picture.
func (f Figure) Empty() bool { return len(f.SVG)+len(f.PNG)+len(f.JPEG) == 0 }

func (f *Figure) check(seen map[string]bool) error {
	if err := claimName(f.Name, seen); err != nil {
		return fmt.Errorf("figure %q: %w", f.Name, err)
	}
	if f.Empty() {
		return fmt.Errorf("figure %q has neither SVG nor PNG", f.Name)
	}
	return nil
}

// claimName checks a file stem and that it is not in seen, and puts it there.
// File systems that ignore case would let "A" overwrite "a".
func claimName(name string, seen map[string]bool) error {
	if err := checkName(name); err != nil {
		return err
	}
	key := strings.ToLower(name)
	if seen[key] {
		return fmt.Errorf("the name is taken")
	}
	seen[key] = true
	return nil
}

// maxName keeps file names, with suffixes and a temporary prefix, well below
// the 255 bytes that file systems allow.
const maxName = 120

// checkName says why name cannot be a file stem. The rules are those of the
// least liberal file system, so that a report can be copied anywhere.
func checkName(name string) error {
	if name == "" {
		return fmt.Errorf("no name")
	}
	if len(name) > maxName {
		return fmt.Errorf("the name has %d bytes, more than %d", len(name), maxName)
	}
	for i, r := range name {
		if !isNameRune(r, i == 0) {
			return fmt.Errorf("the name has %q at byte %d; letters, digits and then - _ . are allowed", r, i)
		}
	}
	return nil
}

func isNameRune(r rune, first bool) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return true
	case r == '-', r == '_', r == '.':
		return !first
	}
	return false
}

// FactsOf returns the fields of a struct that have a tag `fact:"NAME"` as facts, in their
// order. It leaves out empty texts and what encoding/json would leave out of a record by
// omitempty. Fields of embedded structs are not among them.
func FactsOf(conventions any) []Fact {
	var facts []Fact
	v := reflect.ValueOf(conventions)
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		name := f.Tag.Get("fact")
		optional := value.Kind() == reflect.String || strings.HasSuffix(f.Tag.Get("json"), ",omitempty")
		if name == "" || optional && value.IsZero() {
			continue
		}
		text := fmt.Sprint(value)
		if value.Kind() == reflect.Slice {
			text = strings.ReplaceAll(strings.Trim(text, "[]"), " ", ", ")
		}
		facts = append(facts, Fact{Name: name, Value: text})
	}
	return facts
}
