package fetch

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// someReceipt returns a receipt of a single file and of three archives. The files do not exist.
func someReceipt() *Receipt {
	sum := func(i byte) (s Sum) { s[0], s[31] = i, 1; return s }
	return &Receipt{[]Source{
		{Path: "one file.gz", Bytes: 5, SHA256: sum(1), Files: []Entry{{"one file.gz", 5, sum(1)}}},
		{Path: "a/x.zip", Bytes: 1 << 40, SHA256: sum(2), Into: "a/b",
			Files: []Entry{{"a/b/größe \"q\"", 0, sum(3)}, {"a/b/z/z", 7, sum(4)}}},
		{Path: "y.tar", Bytes: 9, SHA256: sum(5), Into: ".", Files: []Entry{{"cifar/z", 7, sum(4)}}},
		{Path: "empty.zip", Bytes: 9, SHA256: sum(5), Into: "e"},
	}}
}

func TestReceipt(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".ansatz", "x.sha256")
	for _, want := range []*Receipt{someReceipt(), {}} {
		if err := WriteReceipt(path, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadReceipt(path)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("read %+v, %v; want %+v", got, err, want)
		}
	}
	if n, bytes := someReceipt().Files(); n != 4 || bytes != 19 {
		t.Errorf("%d files of %d bytes", n, bytes)
	}
	_, err := ReadReceipt(path + "no")
	mustFail(t, err, "a receipt", "get the dataset")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	mustFail(t, WriteReceipt(filepath.Join(path, "under", "a file"), &Receipt{}), "permissions")
}

func TestReceiptFormat(t *testing.T) {
	one := strings.Repeat("0", 63) + "1"
	var out bytes.Buffer
	r := &Receipt{
		[]Source{{Path: "x.tar", Bytes: 10, SHA256: Sum{31: 1}, Into: "in", Files: []Entry{{"in/a", 3, Sum{31: 1}}}}}}
	if err := r.write(&out); err != nil {
		t.Fatal(err)
	}
	want := receiptTitle + "\n# source 10 " + one + ` "x.tar" "in"` + "\n# 3\n" + one + "  in/a\n# end 1\n"
	if got := out.String(); got != want {
		t.Errorf("wrote\n%s\nwant\n%s", got, want)
	}
}

// A receipt that is cut off at any byte is refused, and the error says where.
func TestReceiptCut(t *testing.T) {
	var out bytes.Buffer
	if err := someReceipt().write(&out); err != nil {
		t.Fatal(err)
	}
	for n := range out.Len() {
		_, err := parseReceipt("receipt", bytes.NewReader(out.Bytes()[:n]))
		if e := mustFail(t, err, "receipt: at byte "); e.Offset < 0 || e.Offset > int64(n) {
			t.Errorf("cut at %d: offset %d", n, e.Offset)
		}
	}
}

func TestReceiptErrors(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	source := "# source 1 " + sum + ` "x.tar" "in"` + "\n"
	file := "# 1\n" + sum + "  in/a\n"
	for says, body := range map[string]string{
		"begins with #":           "x\n",
		"size in bytes":           "# hello\n",
		"source before":           file,
		"# source BYTES":          "# source x\n",
		`DIGEST "PATH"`:           "# source 1 " + sum + ` "x.tar"` + "\n",
		`"INTO"`:                  "# source 1 " + sum + ` "x.tar" in` + "\n",
		"BYTES DIGEST":            "# source -1 " + sum + ` "x.tar" "in"` + "\n",
		"as ansatz writes":        "# source 1 " + sum + ` "\x41" "in"` + "\n",
		"paths in the data":       "# source 1 " + sum + ` "../x" "in"` + "\n",
		"a file of x.tar":         source + "# 1\n" + sum + "  out/a\n",
		"the order":               source + file + file,
		"DIGEST  PATH":            source + "# 1\n" + strings.ToUpper(sum) + "  in/a\n",
		"a path in the data":      source + "# 1\n" + sum + "  ../a\n",
		"size in":                 source + "# 01\n" + sum + "  in/a\n",
		"the count of files, 1":   source + file + "# end 2\n",
		"nothing after the count": source + file + "# end 1\n\n",
		"of at most 65536":        "# " + strings.Repeat("1", 65536) + "\n",
	} {
		_, err := parseReceipt("receipt", strings.NewReader(receiptTitle+"\n"+body))
		if e := mustFail(t, err, says); e.Offset < int64(len(receiptTitle)) || len(err.Error()) > 500 {
			t.Errorf("offset %d: %v", e.Offset, err)
		}
	}
	_, err := parseReceipt("receipt", strings.NewReader(sum+"  a\n"))
	mustFail(t, err, receiptTitle, "at byte 0")
}

// TestReceiptBySha256sum checks that the program sha256sum can read a receipt and reports a changed file.
func TestReceiptBySha256sum(t *testing.T) {
	program, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	f, _ := archiveServer(t, "x.zip", "in", readTestdata(t, "deflated.zip"))
	plain, _ := archiveServer(t, "plain file", "", noise(40, 100))
	o, _ := quick()
	r, err := Get(t.Context(), dir, []File{f, plain}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteReceipt(filepath.Join(dir, "receipt"), NewReceipt(r)); err != nil {
		t.Fatal(err)
	}
	check := func() (string, error) {
		c := exec.Command(program, "--strict", "-c", "receipt")
		c.Dir = dir
		c.Env = append(os.Environ(), "LC_ALL=C")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := check(); err != nil || strings.Count(out, ": OK\n") != 4 {
		t.Errorf("%s, %v", out, err)
	}
	write(t, filepath.Join(dir, "in", "set", "größe.txt"), []byte("x"))
	if out, err := check(); err == nil || strings.Count(out, ": OK\n") != 3 || strings.Count(out, ": FAILED\n") != 1 {
		t.Errorf("%s, %v", out, err)
	}
}
