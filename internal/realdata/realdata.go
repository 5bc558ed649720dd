// Package realdata finds data and other files that tests need but a clone lacks: in the folder of datasets that
// $ANSATZ_DATA names, and in $ANSATZ_SHARED, the folder shared by the machines of this project.
package realdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Find returns the path of a file, such as mnist/train-images-idx3-ubyte.gz, uci/iris.arff or accept/cntk-d3-q3.json; "" if
// it is not on this machine.
func Find(name string) string {
	data, shared := os.Getenv("ANSATZ_DATA"), os.Getenv("ANSATZ_SHARED")
	for _, folder := range []struct{ of, path string }{{data, data}, {shared, filepath.Join(shared, "data")}, {shared, shared}} {
		path := filepath.Join(folder.path, name)
		if _, err := os.Stat(path); folder.of != "" && err == nil {
			return path
		}
	}
	return ""
}

// File is Find, but skips the test if the file is not on this machine.
func File(t testing.TB, name string) string {
	t.Helper()
	path := Find(name)
	if path == "" {
		t.Skipf("%s is neither in $ANSATZ_DATA nor in $ANSATZ_SHARED", name)
	}
	return path
}

// Folder returns the data folder, in the sense of --data-dir and $ANSATZ_DATA, that contains a dataset's file, given
// by its relative path. If there is none, it skips the test.
func Folder(t testing.TB, name string) string {
	t.Helper()
	path := File(t, name)
	return path[:len(path)-len(filepath.Clean(name))-1]
}
