package tabular

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// Member is a table of a benchmark.
type Member struct {
	Name     string
	classify bool // treats a target of whole numbers as classes
	own      bool // a file of the user's, whose target was not agreed on before
	// Open reads the table, with its published splits if it has some.
	Open func() (*table.Table, *table.UCI, error)
}

// findMembers returns the tables that the spec selects, sorted by name.
func findMembers(s Spec) ([]Member, error) {
	selected, err := s.datasetFilter()
	if err != nil {
		return nil, err
	}
	var all []Member
	switch s.Benchmark {
	case UciProtocol:
		all, err = UciMembers(s.Dir)
	case GrinsztajnProtocol:
		all, err = GrinsztajnMembers(s.Dir)
	default:
		all, err = PathMembers(s.Benchmark)
	}
	if err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(all, func(m Member) bool { return !selected(m.Name) })
	if len(kept) == 0 {
		return nil, input.Errorf("--datasets %q: no table of %s has such a name", s.Datasets, s.Benchmark)
	}
	slices.SortFunc(kept, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	return kept, nil
}

// UciMembers returns the 121 sets of the data folder.
func UciMembers(dir string) ([]Member, error) {
	root, err := data.FindTables(UciProtocol, dir)
	if err != nil {
		return nil, err
	}
	names, err := data.TablesOf(UciProtocol, dir)
	if err != nil {
		return nil, err
	}
	var all []Member
	for _, name := range names {
		name = strings.TrimPrefix(name, UciProtocol+":")
		path := filepath.Join(root, name)
		if !table.IsUCI(path) { // in the archive the sets lie in a folder data
			path = filepath.Join(root, "data", name)
		}
		all = append(all, uciMember(path))
	}
	return all, nil
}

// uciMember returns the table in a folder in the layout of the 121 sets.
func uciMember(path string) Member {
	return Member{Name: filepath.Base(path), Open: func() (*table.Table, *table.UCI, error) {
		u, err := table.OpenUCI(path)
		if err != nil {
			return nil, nil, err
		}
		return u.Table, u, nil
	}}
}

// GrinsztajnMembers returns the tables of that benchmark in the data folder. The names of its folders
// say whether they hold classifications or regressions.
func GrinsztajnMembers(dir string) ([]Member, error) {
	names, err := data.TablesOf(GrinsztajnProtocol, dir)
	if err != nil {
		return nil, err
	}
	var all []Member
	for _, name := range names {
		short := strings.TrimPrefix(name, GrinsztajnProtocol+":")
		all = append(all, Member{Name: short, classify: strings.HasPrefix(short, "clf"),
			Open: func() (*table.Table, *table.UCI, error) {
				t, err := data.OpenTable(name, dir)
				return t, nil, err
			}})
	}
	return all, nil
}

// fileMember returns the table in a file.
func fileMember(path, name string) Member {
	return Member{Name: name, own: true, Open: func() (*table.Table, *table.UCI, error) {
		t, err := data.OpenTable(path, "")
		return t, nil, err
	}}
}

// PathMembers returns the table at a path, or the tables in that folder.
func PathMembers(path string) ([]Member, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &input.Error{
			Err: fmt.Errorf("--benchmark: %w: want %s, %s or the path of a table or of a folder of tables", err,
				UciProtocol, GrinsztajnProtocol),
		}
	}
	path, err = filepath.Abs(path)
	switch {
	case err != nil:
		return nil, err
	case table.IsUCI(path):
		return []Member{uciMember(path)}, nil
	case !info.IsDir():
		return []Member{fileMember(path, stemOf(path))}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	all := folderMembers(path, entries)
	if len(all) == 0 {
		return nil, input.Errorf("--benchmark %s: there are no tables in that folder: want .arff, .csv, .tsv, "+
			".parquet or .npz files, or folders NAME with a file NAME.txt, as the 121 sets have", path)
	}
	return all, nil
}

// folderMembers returns the tables of a folder. Tables keep their extensions where they would have the same name without,
// or the name of another file, as t.csv.gz beside t.csv.
func folderMembers(dir string, entries []fs.DirEntry) []Member {
	count := map[string]int{}
	for _, e := range entries {
		stem := stemOf(e.Name())
		if count[stem]++; stem != e.Name() {
			count[e.Name()]++
		}
	}
	var all []Member
	for _, e := range entries {
		path, name := filepath.Join(dir, e.Name()), stemOf(e.Name())
		if count[name] > 1 {
			name = e.Name()
		}
		switch {
		case e.IsDir() && table.IsUCI(path):
			all = append(all, uciMember(path))
		case !e.IsDir() && data.IsTableFile(path): // not a .txt, which may describe the tables
			all = append(all, fileMember(path, name))
		}
	}
	return all
}

// stemOf returns the name of a file without folder and extension.
func stemOf(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}
