package weights

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/pickle"
)

// checkRead checks what must hold for any content. Reading gives either a state dict or a FormatError, and a state dict
// is the same after it was written and read again.
func checkRead(t *testing.T, d *StateDict, err error) {
	t.Helper()
	if err != nil {
		var format *FormatError
		if d != nil || !errors.As(err, &format) || err.Error() == "" {
			t.Fatalf("%v beside the error %v (%T)", d, err, err)
		}
		return
	}
	var b bytes.Buffer
	err = WriteSafetensors(&b, d, d.Metadata())
	if _, reserved := d.Get(metadataKey); reserved && err != nil {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadSafetensors(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if d.SHA256() != again.SHA256() {
		t.Fatal("the state dict is another after it was written and read")
	}
}

func FuzzPyTorch(f *testing.F) {
	for _, name := range fixtures(f) {
		f.Add(fixture(f, name))
	}
	tensor := dict(text("w"), rebuilt(persistent("FloatStorage", "0", 6), 0, []int64{2, 3}, []int64{3, 1}))
	f.Add(archived(f, tensor, rec{name: "../../data/0", content: floats(6)}, rec{name: "/data/0", content: floats(6)}))
	f.Add(archived(f, tensor, rec{name: "net/data/0", content: floats(6)}, rec{name: "net/data/0", content: floats(5)},
		rec{name: "net/data.pkl", content: "."}))
	f.Add(
		archived(f, dict(text("w"), rebuilt(persistent("FloatStorage", "../../../etc/passwd", 6), 0, []int64{2, 3},
			[]int64{3, 1}))))
	for _, size := range []int64{-1, 1 << 40, 1<<63 - 1} {
		f.Add(archived(f, dict(text("w"), rebuilt(persistent("FloatStorage", "0", size), size, []int64{size, 4},
			[]int64{size, size})), rec{name: "net/data/0", content: floats(6)}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ReadPyTorch(bytes.NewReader(data), int64(len(data)))
		checkRead(t, d, err)
	})
}

func FuzzSafetensors(f *testing.F) {
	f.Add(fixture(f, "dtypes.safetensors"))
	f.Add(
		safetensorsFile(
			`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},`+
				`"b":{"dtype":"BOOL","shape":[],"data_offsets":[8,9]}}`,
			floats(2)+"\x02"))
	for _, header := range []string{
		`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`,
		`{"a":{"dtype":"F32","shape":[9223372036854775807,2],"data_offsets":[0,8]}}`,
		`{"a":{"dtype":"F32","shape":[-1,-2],"data_offsets":[0,8]}}`,
		`{"a":{"dtype":"F32","shape":[1e400],"data_offsets":[0,4]}}`,
		`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`,
		`{"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}}`,
		`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`,
		`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`,
		`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`,
		`{"a":{"dtype":"F8_E8M0","shape":[8],"data_offsets":[0,8]}}`,
		`{"a":{"dtype":"F32","shape":[` + strings.Repeat("1,", 400) + `1],"data_offsets":[0,4]}}`,
		`{"__metadata__":` + strings.Repeat(`{"a":`, 300), `{"__metadata__":{"a":1}}`, `{"__metadata__":null}`,
		strings.Repeat("[", 20000), `{}`, ``, "{}" + strings.Repeat(" ", 100), `{"\ud800":null}`,
	} {
		f.Add(safetensorsFile(header, floats(2)))
	}
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\x7f{}"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ReadSafetensors(bytes.NewReader(data), int64(len(data)))
		checkRead(t, d, err)
	})
}

// FuzzScanPickle scans a pickle and runs it like the data.pkl of an archive in which every storage exists. It reaches
// more code than FuzzPyTorch, since no checksum rejects a changed pickle.
func FuzzScanPickle(f *testing.F) {
	for _, name := range fixtures(f) {
		data := fixture(f, name)
		for at := 0; at < len(data); {
			i := bytes.Index(data[at:], []byte("\x80\x02"))
			if i < 0 {
				break
			}
			at += i + 1
			f.Add(data[at-1:])
		}
	}
	// These pickles run code if Python loads them.
	hostile, err := filepath.Glob("../../data/array/testdata/hostile/*.pickle")
	if err != nil || len(hostile) == 0 {
		f.Fatalf("%d hostile pickles, %v", len(hostile), err)
	}
	for _, path := range hostile {
		content, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add(
		[]byte(pickled(dict(text("w"), rebuilt(persistent("FloatStorage", "0", 6), 0, []int64{2, 3}, []int64{3, 1})))))
	f.Add([]byte(pickled(dict(text("w"), rebuilt(viewOf(1, 3), 0, []int64{3, 2}, []int64{1, 0})))))
	f.Fuzz(func(t *testing.T, data []byte) {
		program, err := pickle.Scan(bytes.NewReader(data), int64(len(data)), maxPickle)
		if err != nil {
			wantFormatError(t, pickleFailed("test", 0, err))
			return
		}
		v, err := program.Run(newMachine())
		if err != nil {
			return
		}
		if describe(v) == "" {
			t.Fatal("no description")
		}
		d, err := assemble(zeros{}, v, 0, int64(len(data)))
		checkRead(t, d, err)
	})
}

// zeros is a container in which every storage is filled with zeros.
type zeros struct{}

func (zeros) format() string { return "test" }

func (zeros) open(s *storage) (*record, error) {
	return &record{ReadCloser: zeroReader{strings.NewReader(strings.Repeat("\x00", int(s.bytes)))}, size: s.bytes}, nil
}

type zeroReader struct{ *strings.Reader }

func (zeroReader) Close() error { return nil }
