package report

import (
	"fmt"
	"strings"
)

// taken holds the names that a page uses already, in lower case.
type taken struct{ figures, tables, sections map[string]bool }

// check returns an error if the page cannot be written.
func (p *Page) check() error {
	seen := taken{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for i := range p.Sections {
		s := &p.Sections[i]
		if err := s.check(seen); err != nil {
			return fmt.Errorf("section %d (%q): %w", i+1, s.Heading, err)
		}
		for j := range s.Parts {
			part := &s.Parts[j]
			err := part.check(seen)
			if err == nil && len(part.Parts) > 0 {
				err = fmt.Errorf("a part has no parts of its own")
			}
			if err != nil {
				return fmt.Errorf("section %d (%q), part %d (%q): %w", i+1, s.Heading, j+1, part.Heading, err)
			}
		}
	}
	if len(p.Panels) > 1 && seen.figures[Assembled] {
		return fmt.Errorf("the name %q is reserved for the panels: give the figure another one", Assembled)
	}
	return p.checkLinks()
}

func (s *Section) check(seen taken) error {
	if err := s.checkID(seen.sections); err != nil {
		return err
	}
	for j := range s.Figures {
		if err := s.Figures[j].check(seen.figures); err != nil {
			return err
		}
	}
	for _, t := range s.allTables() {
		if err := t.checkIn(seen.tables); err != nil {
			return err
		}
	}
	return nil
}

// checkID returns an error for an ID that another section or the page itself uses.
func (s *Section) checkID(seen map[string]bool) error {
	if s.ID == "" {
		return nil
	}
	for _, ours := range []string{"section-", "figure-", "table-", "caption-"} {
		if strings.HasPrefix(s.ID, ours) {
			return fmt.Errorf("the ID %q starts with %q, which is reserved for the page", s.ID, ours)
		}
	}
	for _, ours := range pageIDs {
		if strings.EqualFold(s.ID, ours) {
			return fmt.Errorf("the ID %q is reserved for the page", s.ID)
		}
	}
	if err := claimName(s.ID, seen); err != nil {
		return fmt.Errorf("ID %q: %w", s.ID, err)
	}
	return nil
}

// pageIDs are the IDs in the template.
var pageIDs = []string{"theme", "main", "contents", "provenance", "viewer", "previous", "next", "size", "download",
	"close", "large", "large-caption", "glyphs", "explorer", "explorer-data"}

// allTables returns the tables of the section in the order of the page.
func (s *Section) allTables() []*Table {
	var all []*Table
	add := func(tables []Table) {
		for i := range tables {
			all = append(all, &tables[i])
		}
	}
	for i := range s.Folded {
		add(s.Folded[i].Tables)
	}
	add(s.Lead)
	add(s.Tables)
	for i := range s.Details {
		add(s.Details[i].Tables)
	}
	return all
}

// everySection returns the sections and their parts, in the order of the page.
func (p *Page) everySection() []*Section {
	var all []*Section
	for i := range p.Sections {
		all = append(all, &p.Sections[i])
		for j := range p.Sections[i].Parts {
			all = append(all, &p.Sections[i].Parts[j])
		}
	}
	return all
}

// checkLinks returns an error for a link to an ID that no section has.
func (p *Page) checkLinks() error {
	ids := map[string]bool{}
	for _, s := range p.everySection() {
		ids[s.ID] = true
	}
	for _, s := range p.everySection() {
		for _, t := range s.allTables() {
			for i, row := range t.Rows {
				for j, c := range row {
					if c.Link != "" && !ids[c.Link] {
						return fmt.Errorf("table %q, row %d, column %d: no section has the ID %q", t.Name, i+1, j+1,
							c.Link)
					}
				}
			}
		}
	}
	return nil
}
