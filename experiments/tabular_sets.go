package experiments

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/table"
)

// tabularMember is a table of a benchmark.
type tabularMember struct {
	name     string
	classify bool // whole numbers to predict are classes
	// open reads the table, with its published splits if it has some.
	open func() (*table.Table, *table.UCI, error)
}

// findMembers lists the tables of a benchmark by name.
func findMembers(s TabularSpec) ([]tabularMember, error) {
	selected, err := s.selects()
	if err != nil {
		return nil, err
	}
	var all []tabularMember
	switch s.Benchmark {
	case uciProtocol:
		all, err = uciMembers(s.Dir)
	case grinsztajnProtocol:
		all, err = grinsztajnMembers(s.Dir)
	default:
		all, err = pathMembers(s.Benchmark)
	}
	if err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(all, func(m tabularMember) bool { return !selected(m.name) })
	if len(kept) == 0 {
		return nil, badInput("--datasets %q: no table of %s has such a name", s.Datasets, s.Benchmark)
	}
	slices.SortFunc(kept, func(a, b tabularMember) int { return strings.Compare(a.name, b.name) })
	return kept, nil
}

// uciMembers are the 121 sets of the data folder.
func uciMembers(dir string) ([]tabularMember, error) {
	root, err := data.FindTables(uciProtocol, dir)
	if err != nil {
		return nil, err
	}
	names, err := data.TablesOf(uciProtocol, dir)
	if err != nil {
		return nil, err
	}
	var all []tabularMember
	for _, name := range names {
		name = strings.TrimPrefix(name, uciProtocol+":")
		path := filepath.Join(root, name)
		if !table.IsUCI(path) { // as the archive has it
			path = filepath.Join(root, "data", name)
		}
		all = append(all, uciMember(path))
	}
	return all, nil
}

// uciMember is a folder in the layout of the 121 sets.
func uciMember(path string) tabularMember {
	return tabularMember{name: filepath.Base(path), open: func() (*table.Table, *table.UCI, error) {
		u, err := table.OpenUCI(path)
		if err != nil {
			return nil, nil, err
		}
		return u.Table, u, nil
	}}
}

// grinsztajnMembers are the tables of that benchmark in the data folder, whose
// folders tell classifications from regressions.
func grinsztajnMembers(dir string) ([]tabularMember, error) {
	names, err := data.TablesOf(grinsztajnProtocol, dir)
	if err != nil {
		return nil, err
	}
	var all []tabularMember
	for _, name := range names {
		short := strings.TrimPrefix(name, grinsztajnProtocol+":")
		all = append(all, tabularMember{name: short, classify: strings.HasPrefix(short, "clf"), open: func() (*table.Table, *table.UCI, error) {
			t, err := data.OpenTable(name, dir)
			return t, nil, err
		}})
	}
	return all, nil
}

// fileMember is the file of a table.
func fileMember(path, name string) tabularMember {
	return tabularMember{name: name, open: func() (*table.Table, *table.UCI, error) {
		t, err := data.OpenTable(path, "")
		return t, nil, err
	}}
}

// pathMembers is a table, or the tables of a folder.
func pathMembers(path string) ([]tabularMember, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &InputError{fmt.Errorf("--benchmark: %w: want %s, %s or the path of a table or of a folder of tables", err, uciProtocol, grinsztajnProtocol)}
	}
	path, err = filepath.Abs(path)
	switch {
	case err != nil:
		return nil, err
	case table.IsUCI(path):
		return []tabularMember{uciMember(path)}, nil
	case !info.IsDir():
		return []tabularMember{fileMember(path, stemOf(path))}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	all := folderMembers(path, entries)
	if len(all) == 0 {
		return nil, badInput("--benchmark %s: there are no tables in that folder: want .arff, .csv, .tsv, .parquet or .npz files, or folders NAME with a file NAME.txt, as the 121 sets have", path)
	}
	return all, nil
}

// folderMembers are the tables of a folder. A name that two have gets the
// extension.
func folderMembers(dir string, entries []fs.DirEntry) []tabularMember {
	count := map[string]int{}
	for _, e := range entries {
		count[stemOf(e.Name())]++
	}
	var all []tabularMember
	for _, e := range entries {
		path, name := filepath.Join(dir, e.Name()), stemOf(e.Name())
		if count[name] > 1 {
			name = e.Name()
		}
		switch {
		case e.IsDir() && table.IsUCI(path):
			all = append(all, uciMember(path))
		case !e.IsDir() && data.IsTable(path):
			all = append(all, fileMember(path, name))
		}
	}
	return all
}

// stemOf is the name of a file without folder and extension.
func stemOf(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}
