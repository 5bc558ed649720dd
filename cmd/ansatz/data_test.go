package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ansatzJSON runs a command with --json and decodes what it prints.
func ansatzJSON(t *testing.T, into any, args ...string) (code int, stderr string) {
	t.Helper()
	code, out, stderr := ansatz(t, append(args, "--json")...)
	if out == "" {
		return code, stderr
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return code, stderr
}

func TestDataList(t *testing.T) {
	t.Setenv("ANSATZ_DATA", filepath.Join("..", "..", "data", "testdata", "sets"))
	var list struct {
		Datasets []struct {
			Name, Kind, Licence, Path string
			Present                   bool
		}
	}
	if code, stderr := ansatzJSON(t, &list, "data", "list"); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	present := map[string]bool{}
	for _, d := range list.Datasets {
		present[d.Name] = d.Present
		if d.Kind != "generated" && (d.Licence == "" || d.Present != (d.Path != "")) {
			t.Errorf("%+v", d)
		}
	}
	for name, want := range map[string]bool{
		"mnist": false, "qmnist": false, "emnist": false, "fashionmnist": false, "cifar10": true, "cifar100": true,
		"imagenet32": true,
		"svhn":       true, "stl10": false, "gtsrb": false, "pcam": true, "dtd": false, "caltech101": false,
		"aircraft": false, "celeba": false,
		"imagenet": false, "uci121": false, "polynomial": true, "glyphs": true, "bars": true, "deadleaves": true,
	} {
		if got, listed := present[name]; !listed || got != want {
			t.Errorf("%s: listed %t, present %t, want %t", name, listed, got, want)
		}
	}
	if code, out, _ := ansatz(t, "data", "list"); code != exitDone || !strings.Contains(out, "cifar10       yes ✓") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

type checkJSON struct {
	OK     bool
	Splits []struct {
		Split, Shape, SHA256, Problem string
		Images, Published             int
		Classes                       []string
	}
}

func TestDataCheck(t *testing.T) {
	var c checkJSON
	if code, stderr := ansatzJSON(t, &c, "data", "check", "bars"); code != exitDone || !c.OK || len(c.Splits) != 2 {
		t.Fatalf("exit %d, %+v: %s", code, c, stderr)
	}
	if s := c.Splits[0]; s.Split != "train" || s.Images == 0 || s.Shape != "1×16×32" || len(s.Classes) != 2 ||
		len(s.SHA256) != 64 {
		t.Errorf("%+v", s)
	}
}

// TestDataCheckFallsShort checks that data check shows an incomplete data set too, and exits with exitFailed.
func TestDataCheckFallsShort(t *testing.T) {
	var c checkJSON
	code, stderr := ansatzJSON(t, &c, "data", "check", "svhn", "--data-dir",
		filepath.Join("..", "..", "data", "testdata", "sets"))
	if code != exitFailed || c.OK || !strings.Contains(stderr, "svhn is not as it should be") {
		t.Fatalf("exit %d, %+v: %s", code, c, stderr)
	}
	if s := c.Splits[0]; s.Images != 11 || s.Published != 73257 || !strings.Contains(s.Problem, "not as many") {
		t.Errorf("%+v", s)
	}
}

func TestDataCheckPage(t *testing.T) {
	dir := t.TempDir()
	if code, _, stderr := ansatz(t, "data", "check", "bars", "--out", dir); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, name := range []string{"report.html", "record.json", "figures/images-1.png", "figures/images-2.svg",
		"tables/splits.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestDataCheckTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weather.arff")
	text := "@relation weather\n@attribute outlook {sunny, rainy}\n@attribute temperature numeric\n" +
		"@attribute play {yes, no}\n@data\nsunny,20,yes\nrainy,?,no\n?,10,yes\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var c struct {
		Rows        int
		Columns     []map[string]any
		Classes     []string
		Conventions map[string]any
	}
	if code, stderr := ansatzJSON(t, &c, "data", "check", path); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if c.Rows != 3 || len(c.Columns) != 3 || len(c.Classes) != 2 || c.Conventions["encoding"] != "one-hot" ||
		c.Conventions["imputed"] != 2. || c.Conventions["features"] != 3. {
		t.Errorf("%+v", c)
	}
	if code, out, _ := ansatz(t, "data", "check", "polynomial:hermite"); code != exitDone ||
		!strings.Contains(out, "10 features, regression") {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestDataBadUse(t *testing.T) {
	for _, args := range [][]string{
		{"check"}, {"check", "nothere"}, {"check", "nothere.arff"},
		{"check", "bars:loud=1"}, {"check", "uci121:iris"},
		{"get"}, {"get", "nothere"}, {"get", "glyphs"}, {"get", "imagenet"}, {"list", "mnist"}, {"find"},
	} {
		code, _, stderr := ansatz(t, append([]string{"data", "--data-dir", t.TempDir()}, args...)...)
		if code != exitUsage || len(stderr) < 20 {
			t.Errorf("%q: exit %d: %s", args, code, stderr)
		}
	}
	for want, args := range map[string][]string{
		"takes one dataset, not 2":      {"check", "bars", "glyphs"},
		"the name of a table of uci121": {"check", "uci121:../iris"},
	} {
		if code, _, stderr := ansatz(t, append([]string{"data", "--data-dir", t.TempDir()}, args...)...); code != exitUsage ||
			!strings.Contains(stderr, want) {
			t.Errorf("%q: exit %d: %s", args, code, stderr)
		}
	}
}

// archive returns a tar.gz archive of files, whose contents are given by name.
func archive(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestDataGet checks that data get downloads an archive from a mirror and unpacks it, and that a second call downloads
// nothing. After that, data check must find that the unpacked file is no valid table, and later that it was changed.
func TestDataGet(t *testing.T) {
	content := archive(t, map[string]string{"iris/iris.txt": "not read here"})
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path != "/downloads/uci121/data.tar.gz" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
	}))
	defer server.Close()
	dir := t.TempDir()
	type answer struct {
		Datasets []struct {
			Dataset, Receipt string
			Laid             int `json:"laid_out"`
			Files            []struct{ Path, From, Checked string }
		}
	}
	var got answer
	for round := range 2 {
		got = answer{}
		code, stderr := ansatzJSON(t, &got, "data", "get", "uci121", "--mirror", server.URL, "--data-dir", dir)
		if code != exitDone || len(got.Datasets) != 1 || got.Datasets[0].Laid != 1 {
			t.Fatalf("round %d: exit %d, %+v: %s", round, code, got, stderr)
		}
		if from := got.Datasets[0].Files[0].From; (from == "") != (round == 1) {
			t.Errorf("round %d: from %q", round, from)
		}
	}
	if asked != 1 {
		t.Errorf("the server was asked %d times", asked)
	}
	file := filepath.Join(dir, "uci121", "iris", "iris.txt")
	for _, path := range []string{file, got.Datasets[0].Receipt} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	var c struct {
		OK      bool
		Receipt struct {
			OK       bool
			Files    int
			Problems []string
		}
		Tables []struct{ Table, Problem string }
	}
	code, _ := ansatzJSON(t, &c, "data", "check", "uci121", "--data-dir", dir)
	if code != exitFailed || c.OK || !c.Receipt.OK || c.Receipt.Files != 1 || len(c.Tables) != 1 ||
		!strings.Contains(c.Tables[0].Problem, "iris.txt") {
		t.Errorf("a set that is no set: exit %d, %+v", code, c)
	}
	if err := os.WriteFile(file, []byte("changed since"), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _ = ansatzJSON(t, &c, "data", "check", "uci121", "--data-dir", dir)
	if code != exitFailed || c.Receipt.OK || len(c.Receipt.Problems) != 1 ||
		!strings.Contains(c.Receipt.Problems[0], "changed") {
		t.Errorf("a changed file: exit %d, %+v", code, c)
	}
}
