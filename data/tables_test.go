package data

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/table/dialect"
)

// writeUCI writes a table of four rows in the layout of the 121 UCI tables.
func writeUCI(t *testing.T, dir, name string) {
	t.Helper()
	write(t, []byte("n_entradas= 2\nn_clases= 2\nn_arquivos= 1\nfich1= "+name+"_R.dat\nn_patrons1= 4\n"), dir,
		name, name+".txt")
	write(t, []byte("\tf1\tf2\tclase\n1\t0.5\t1\t0\n2\t0.2\t-1\t1\n3\t1.5\t1\t0\n4\t0.7\t2\t1\n"), dir,
		name, name+"_R.dat")
	write(t, []byte("0 1 \n2 3 \n"), dir, name, "conxuntos.dat")
	write(t, []byte("0 1\n2 3\n0 2\n1 3\n0 3\n1 2\n1 2\n0 3\n"), dir, name, "conxuntos_kfold.dat")
}

func TestTablesOfUCI(t *testing.T) {
	for _, folder := range []string{"uci121", "uci121/data"} {
		dir := t.TempDir()
		root := filepath.Join(dir, folder)
		writeUCI(t, root, "wine")
		writeUCI(t, root, "iris")
		names, err := TablesOf("uci121", dir)
		if err != nil || !slices.Equal(names, []string{"uci121:iris", "uci121:wine"}) {
			t.Fatalf("%q, %v", names, err)
		}
		for _, name := range append(names, filepath.Join(root, "iris")) {
			if tab, err := OpenTable(name, dir); err != nil || tab.Rows != 4 || !IsTable(name) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err = OpenTable("uci121:zoo", dir)
		wantNotFound(t, err)
	}
	_, err := TablesOf("uci121", t.TempDir())
	wantNotFound(t, err)
}

func TestTablesOfGrinsztajn(t *testing.T) {
	dir := t.TempDir()
	text := []byte("a,b,y\n1,2,3\n4,5,6\n")
	for _, path := range []string{"clf_num/wine.csv", "reg_num/wine.csv", "reg_num/sales.csv", "top.CSV"} {
		write(t, text, dir, "grinsztajn", path)
	}
	names, err := TablesOf("grinsztajn", dir)
	if err != nil || !slices.Equal(names, []string{"grinsztajn:clf_num/wine", "grinsztajn:reg_num/sales",
		"grinsztajn:reg_num/wine", "grinsztajn:top"}) {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range append(names, "grinsztajn:sales") {
		if tab, err := OpenTable(name, dir); err != nil || tab.Rows != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"grinsztajn:wine", "grinsztajn:../top", "grinsztajn:["} {
		_, err = OpenTable(name, dir)
		wantFormatError(t, err, array.NoOffset)
	}
	_, err = OpenTable("grinsztajn:none", dir)
	wantNotFound(t, err)
}

func TestOpenNPZTable(t *testing.T) {
	tab, err := OpenTable("testdata/tables/xy.npz", "")
	if err != nil || tab.Rows != 3 || len(tab.Columns) != 3 || tab.Columns[1].Values[2] != 6 ||
		tab.Columns[2].Values[1] != -1 {
		t.Fatalf("%+v, %v", tab, err)
	}
	_, err = OpenTable("testdata/tables/x.npz", "")
	wantFormatError(t, err, array.NoOffset)
	if !strings.Contains(err.Error(), "none called y, but X") {
		t.Errorf("the error does not list the arrays: %v", err)
	}
	if rows, err := OpenRows("testdata/tables/x.npz", "", dialect.Dialect{}); err != nil || rows.Rows != 3 || rows.Find("y") >= 0 {
		t.Errorf("rows without targets: %+v, %v", rows, err)
	}
	_, err = OpenTable(filepath.Join(t.TempDir(), "none.npz"), "")
	wantNotFound(t, err)
}

func TestIsTable(t *testing.T) {
	dir := t.TempDir()
	file := write(t, nil, dir, "a.arff")
	for name, want := range map[string]bool{
		"uci121:iris": true, "grinsztajn:wine": true, "uci121": false, "mnist": false, "emnist:letters": false,
		file: true, "none.csv": true, "none.csv.gz": true, "x.TXT": true, "x.dat.gz": true, "x.xlsx": false, "none.png": false, dir: false, os.TempDir(): false,
	} {
		if IsTable(name) != want {
			t.Errorf("IsTable(%q) is not %t", name, want)
		}
	}
}
