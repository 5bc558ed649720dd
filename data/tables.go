package data

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
	tabular "github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/data/table/dialect"
)

// The names of the collections of tables, and of their folders.
const (
	uciName        = "uci121"
	grinsztajnName = "grinsztajn"
)

// IsTable reports whether a text has the form of a table's name for [OpenTable]: a table of a collection, such as
// "uci121:iris", or the path of a file with the extension of a table or of a folder of the 121 sets.
func IsTable(name string) bool {
	collection, member := cutSpec(name)
	if member != "" && slices.Contains([]string{uciName, grinsztajnName}, collection) {
		return true
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return tabular.IsUCI(name)
	}
	return IsTableFile(name) || tabular.IsCSV(name)
}

// IsTableFile reports whether a path has an extension that only tables have; .txt, for example, is not one.
func IsTableFile(path string) bool {
	return slices.Contains(tableExtensions(), tabular.Extension(path))
}

// tableExtensions returns the extensions that only tables have.
func tableExtensions() []string {
	return []string{".arff", ".csv", ".tsv", ".parquet", ".pq", ".npz"}
}

// OpenTable opens a table: a file or folder that [tabular.Open] reads; an NPZ file
// with the arrays X, n×d, and y, whose names may be in either letter case; or a table
// of a collection in the data folder dir, where "" means the default of [Options].Dir.
//
//	uci121:NAME       a folder of the 121 sets, in DIR/uci121 or DIR/uci121/data
//	grinsztajn:NAME   a file of the tabular benchmark, in DIR/grinsztajn or a
//	                  folder there, which may come before the name: clf_num/wine
//
// It returns a [*NotFoundError] if there is no such table, and a [*FormatError] if it
// is malformed.
func OpenTable(name, dir string) (*tabular.Table, error) {
	return OpenTableAs(name, dir, dialect.Dialect{})
}

// OpenTableAs is [OpenTable] with a dialect for CSV files.
func OpenTableAs(name, dir string, d dialect.Dialect) (*tabular.Table, error) {
	return openTable(name, dir, d, true)
}

// OpenRows is [OpenTableAs] for rows that may have no targets: an NPZ file needs no array y.
func OpenRows(name, dir string, d dialect.Dialect) (*tabular.Table, error) {
	return openTable(name, dir, d, false)
}

func openTable(name, dir string, d dialect.Dialect, labelled bool) (*tabular.Table, error) {
	path, err := findTable(name, dir)
	if err != nil {
		return nil, err
	}
	if strings.EqualFold(filepath.Ext(path), ".npz") {
		return openNPZ(path, labelled)
	}
	t, err := tabular.OpenAs(path, d)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NotFoundError{Dataset: name, Looked: []string{path},
			Hint: "give the path of a table, or the name of one of a collection, as uci121:iris"}
	}
	return t, err
}

// findTable returns the path of a table.
func findTable(name, dir string) (string, error) {
	collection, member := cutSpec(name)
	if member == "" || !slices.Contains([]string{uciName, grinsztajnName}, collection) {
		return name, nil
	}
	if !filepath.IsLocal(member) {
		return "", &FormatError{Path: "dataset " + name, Offset: array.NoOffset,
			Want: "the name of a table of " + collection,
			Got:  member}
	}
	root, err := Options{Dir: dir}.dir(name)
	if err != nil {
		return "", err
	}
	root = filepath.Join(root, collection)
	if collection == uciName {
		return firstFile(name, getHint(collection), filepath.Join(root, member), filepath.Join(root, "data", member))
	}
	return findGrinsztajn(name, root, member)
}

// findGrinsztajn returns the path of a table of the tabular benchmark, whose extension may be in either letter case. It returns
// an error if several files have the name.
func findGrinsztajn(name, root, member string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(root, member+".*"))
	if err != nil {
		return "", &FormatError{Path: "dataset " + name, Offset: array.NoOffset, Want: "the name of a table", Got: member, Err: err}
	}
	below, _ := filepath.Glob(filepath.Join(root, "*", member+".*")) // has no error, as the first pattern had none
	found := slices.DeleteFunc(append(paths, below...), func(path string) bool {
		extension := strings.TrimPrefix(filepath.Base(path), filepath.Base(member))
		return !slices.Contains(tableExtensions(), strings.ToLower(extension))
	})
	switch len(found) {
	case 0:
		return "", &NotFoundError{Dataset: name, Looked: []string{filepath.Join(root, "*", member+".csv")},
			Hint: getHint(grinsztajnName)}
	case 1:
		return found[0], nil
	}
	return "", &FormatError{Path: "dataset " + name, Offset: array.NoOffset, Want: "a name of only one table",
		Got: strings.Join(found, ", "), Hint: "put the folder before the name"}
}

// FindTables returns the folder of a collection of tables, or a [*NotFoundError] if it does not exist.
func FindTables(collection, dir string) (string, error) {
	root, err := Options{Dir: dir}.dir(collection)
	if err != nil {
		return "", err
	}
	return firstFile(collection, getHint(collection), filepath.Join(root, collection))
}

// TablesOf returns the sorted names, as [OpenTable] accepts them, of the tables of a collection in the data folder. It
// returns a [*NotFoundError] if there are none.
func TablesOf(collection, dir string) ([]string, error) {
	root, err := FindTables(collection, dir)
	if err != nil {
		return nil, err
	}
	var names []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		member, err := filepath.Rel(root, path)
		extension := filepath.Ext(path)
		switch {
		case err != nil:
			return err
		case collection == uciName && d.IsDir() && tabular.IsUCI(path):
			names = append(names, uciName+":"+strings.TrimPrefix(filepath.ToSlash(member), "data/"))
			return fs.SkipDir
		case collection == grinsztajnName && !d.IsDir() && slices.Contains(tableExtensions(),
			strings.ToLower(extension)):
			names = append(names, grinsztajnName+":"+strings.TrimSuffix(filepath.ToSlash(member), extension))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if len(names) == 0 {
		return nil, &NotFoundError{Dataset: collection, Looked: []string{root}, Hint: getHint(collection)}
	}
	slices.Sort(names)
	return names, nil
}

// openNPZ makes a table from the arrays of a file, which must have targets if labelled is set.
func openNPZ(path string, labelled bool) (*tabular.Table, error) {
	if _, err := firstFile(path, "", path); err != nil {
		return nil, err
	}
	arrays, err := array.ReadNPZ(path)
	if err != nil {
		return nil, err
	}
	var xy [2]*array.Array
	for k, name := range []string{"x", "y"} {
		for key, a := range arrays {
			switch {
			case !strings.EqualFold(key, name):
			case xy[k] != nil:
				return nil, &FormatError{Path: path, Offset: array.NoOffset, Want: "one array called " + name +
					", in either case", Got: "two"}
			default:
				xy[k] = a
			}
		}
		if xy[k] == nil && (name == "x" || labelled) {
			return nil, &FormatError{Path: path, Offset: array.NoOffset, Want: "the arrays X, a row for each example, and y",
				Got: fmt.Sprintf("none called %s, but %s", name, strings.Join(slices.Sorted(maps.Keys(arrays)), ", "))}
		}
	}
	return tabular.FromArrays(path, xy[0], xy[1])
}
