package setups

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// A record names the file of a network's weights with its digest. A file that is gone is an input error.
func TestRecordWeights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "net-1.pth")
	if err := os.WriteFile(path, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	o := &study.Outcome{}
	err := RecordWeights(o, "net", path)
	want := study.DataUsed{Name: "net, weights of net-1.pth",
		SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
	if err != nil || len(o.Data) != 1 || o.Data[0] != want {
		t.Errorf("%+v, %v", o.Data, err)
	}
	if err := RecordWeights(o, "net", path+".gone"); !input.IsError(err) {
		t.Errorf("%v", err)
	}
}
