package rfmtables

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// The sources of tables, besides the two benchmarks of rfm, section 3.3.
const (
	// uciFolder is a folder of the data folder with tables of the UCI repository.
	uciFolder = "uci"
	// generatedTables are polynomials with few of their features, as tables.
	generatedTables = "generated"
)

// nameSource describes a source of tables that stands in for the paper's.
func nameSource(source string) string {
	switch source {
	case uciFolder:
		return "tables of the UCI repository"
	case generatedTables:
		return "polynomials"
	}
	return "tables of " + source
}

// tableSet is the tables of a benchmark. In a dry run it has only their sizes, otherwise the tables; generated tables
// have both.
type tableSet struct {
	members []tabular.Member
	sizes   []tabular.TableSize
}

// add adds a generated table.
func (t *tableSet) add(g tabular.GeneratedTable) {
	size := tabular.TableSize{Name: g.Polynomial.Name, Rows: g.Rows, Features: g.Polynomial.Features}
	if g.Classes {
		size.Classes = 2
	}
	t.members, t.sizes = append(t.members, g.Member()), append(t.sizes, size)
}

// empty reports whether there are no tables.
func (t *tableSet) empty() bool { return len(t.members)+len(t.sizes) == 0 }

// addJobs adds to a dry run a job for each table, cut to the spec's number of rows.
func (t *tableSet) addJobs(in study.Setting, s tabular.Spec) error {
	for _, size := range t.sizes {
		size.Rows = workload.ImagesUsed(s.Rows, size.Rows)
		if err := in.AddJob(s.Job(size), nil); err != nil {
			return err
		}
	}
	return nil
}

// large returns the tables whose large training set has more rows than their medium one.
func (t *tableSet) large() (tableSet, error) {
	isLarge := func(rows int) bool { return tabular.GrinsztajnShare*float64(rows) > tabular.MostMediumRows }
	var large tableSet
	for _, size := range t.sizes {
		if isLarge(size.Rows) {
			large.sizes = append(large.sizes, size)
		}
	}
	for _, m := range t.members {
		opened, _, err := m.Open()
		if err != nil {
			return tableSet{}, err
		}
		if isLarge(opened.Rows) {
			large.members = append(large.members, m)
		}
	}
	return large, nil
}

// listTables returns the tables in a folder below the data folder.
func listTables(in study.Setting, folder string) ([]tabular.Member, error) {
	root, err := data.FindTables(folder, in.DataDir)
	var missing *data.NotFoundError
	if errors.As(err, &missing) || errors.Is(err, fs.ErrNotExist) {
		return nil, input.Errorf("there is no folder %s of tables in the data folder: put tables there, .arff or "+
			".csv, or set the source to %q", folder, generatedTables)
	}
	if err != nil {
		return nil, err
	}
	return tabular.PathMembers(filepath.Clean(root))
}

// folderTable is a table of the folder uci, with the kinds of its columns.
type folderTable struct {
	tabular.TableSize
	numeric, nominal bool // the kinds of columns that it has
}

// folderSizes returns the sizes of the tables in a folder that pass, for dry runs. Sizes are known only for the folder
// uci.
func folderSizes(
	folder string, sizeOf func(folderTable) (size tabular.TableSize, passes bool),
) (all []tabular.TableSize, err error) {
	if folder != uciFolder {
		return nil, fmt.Errorf("it is not known how large the tables of %s are", folder)
	}
	for _, t := range folderTables {
		if size, passes := sizeOf(t); passes {
			all = append(all, size)
		}
	}
	return all, nil
}

// folderTables are the tables of the folder uci for which costs were measured. Features are counted after encoding.
var folderTables = []folderTable{
	{tabular.TableSize{Name: "balance.scale", Rows: 625, Features: 4, Classes: 3}, true, false},
	{tabular.TableSize{Name: "breast.w", Rows: 699, Features: 9, Classes: 2}, true, false},
	{tabular.TableSize{Name: "car", Rows: 1728, Features: 21, Classes: 4}, false, true},
	{tabular.TableSize{Name: "credit.g", Rows: 1000, Features: 61, Classes: 2}, true, true},
	{tabular.TableSize{Name: "glass", Rows: 214, Features: 9, Classes: 7}, true, false},
	{tabular.TableSize{Name: "heart.statlog", Rows: 270, Features: 13, Classes: 2}, true, false},
	{tabular.TableSize{Name: "hepatitis", Rows: 155, Features: 19, Classes: 2}, true, true},
	{tabular.TableSize{Name: "ionosphere", Rows: 351, Features: 34, Classes: 2}, true, false},
	{tabular.TableSize{Name: "iris", Rows: 150, Features: 4, Classes: 3}, true, false},
	{tabular.TableSize{Name: "letter", Rows: 20000, Features: 16, Classes: 26}, true, false},
	{tabular.TableSize{Name: "pendigits", Rows: 10992, Features: 16, Classes: 10}, true, false},
	{tabular.TableSize{Name: "segment", Rows: 2310, Features: 19, Classes: 7}, true, false},
	{tabular.TableSize{Name: "sonar", Rows: 208, Features: 60, Classes: 2}, true, false},
	{tabular.TableSize{Name: "splice", Rows: 3190, Features: 287, Classes: 3}, false, true},
	{tabular.TableSize{Name: "tic-tac-toe", Rows: 958, Features: 27, Classes: 2}, false, true},
	{tabular.TableSize{Name: "vehicle", Rows: 846, Features: 18, Classes: 4}, true, false},
	{tabular.TableSize{Name: "vowel", Rows: 990, Features: 27, Classes: 11}, true, true},
	{tabular.TableSize{Name: "waveform5000", Rows: 5000, Features: 40, Classes: 3}, true, false},
	{tabular.TableSize{Name: "wine", Rows: 178, Features: 13, Classes: 3}, true, false},
	{tabular.TableSize{Name: "zoo", Rows: 101, Features: 16, Classes: 7}, true, true},
}
