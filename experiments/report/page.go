package report

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
)

// Page is a report: first what is claimed, then figures and tables, and at the
// foot their provenance.
type Page struct {
	Title string
	Lead  string // the main result, in one or two sentences
	// Command is the command that makes the page. Sections without a command of their own offer it with their figures.
	Command    string
	Sections   []Section
	Provenance []Fact // version, backend, machine, data checksum, conventions, …
	// Panels are figures of the page, in the order in which a paper prints them as panels of one figure. Save assembles
	// two or more: see [Assemble].
	Panels []Figure
}

// Section is a part of a page under one heading. It shows, in this order, its
// paragraphs, its folded background, its explorer, its leading tables, its figures, its tables, its facts, its details
// and its parts.
type Section struct {
	Heading string
	// ID is the target of links: a name as a figure's, unique in a page in any case; ""
	// for a number. It must not start with "section-", "figure-", "table-" or "caption-".
	ID   string
	Note string // a word or two that stand beside the heading in the contents
	// Command is the command that makes the section's figures, "" if it is not known. The page offers to copy it.
	Command string
	Text    []string // paragraphs
	// Folded is background that opens on demand, below the paragraphs.
	Folded []Detail
	// Explorer is the interactive view of a network, nil for none. A page has at most one.
	Explorer *explorer.Document
	Lead     []Table
	Facts    []Fact // conventions and settings behind the section
	Figures  []Figure
	Tables   []Table
	Details  []Detail
	// Parts are the sections of a chapter, under smaller headings. A part has no parts. A
	// page with chapters shows its table of contents beside the text.
	Parts []Section
}

// Detail is content that is folded away behind its summary until a reader opens it.
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
// Name is a file stem, unique in a page in any case: letters, digits, '-', '_' and '.', starting with a letter or a digit.
// Alt says in words what the picture shows, for those who cannot see it. The figure has an SVG, a PNG, or the JPEG that
// [Figure.Within] puts in place of a large PNG; a page shows the SVG if there is one. PDF is for print, nil for none. For
// a figure that was drawn here, [Figure.Rendered], which [Page.Save] calls, makes PDF and PNG. CSV has the numbers that
// the picture shows, one a line under the names of the columns; it is nil if there are none, as for a photograph. Wide
// figures may be wider than the page's text.
//
// Description, if not nil, is the picture as data, from which [Figure.Redraw] draws it again. JSON has the description
// and no pictures.
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
	// File is the path of the picture's file relative to the page, without its suffix; "" for figures/NAME.
	File string `json:"-"`

	Description *Description `json:"description,omitempty"`

	width, height int         // in CSS pixels; 0 for the picture's own size
	scene         *draw.Scene // the source of PDF and PNG; nil if they are made, or cannot be
	// draw draws the figure as a panel; nil for a figure that was not drawn from a description.
	draw func(room) drawing
}

// Empty reports whether the figure has no picture.
func (f Figure) Empty() bool { return len(f.SVG)+len(f.PNG)+len(f.JPEG) == 0 }

func (f *Figure) check(seen map[string]bool) error {
	if err := claimName(f.Name, seen); err != nil {
		return fmt.Errorf("figure %q: %w", f.Name, err)
	}
	if f.Empty() {
		return fmt.Errorf("figure %q has no picture: want an SVG, a PNG or a JPEG", f.Name)
	}
	return nil
}

// claimName checks a file stem and adds it to seen; a stem that is there is an error.
// It ignores case, as some file systems do: on these "A" would overwrite "a".
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

// checkName returns an error if name cannot be a file stem. It follows the strictest
// file system, so that a report can be copied anywhere.
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
// order. It leaves out empty texts, and zero values of fields that encoding/json omits by
// omitempty. It does not look into embedded structs.
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
