package weights

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// The following functions write pickles by hand. Each returns the instructions that leave a value on the stack. To
// leave several values, write their instructions one after another.

// text pickles a string.
func text(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

// integer pickles an int64.
func integer(n int64) string {
	return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

func tuple(items ...string) string { return "(" + strings.Join(items, "") + "t" }

func integers(n ...int64) string {
	var items []string
	for _, v := range n {
		items = append(items, integer(v))
	}
	return tuple(items...)
}

// dict pickles a dict. Its items are keys and values in turn.
func dict(items ...string) string { return "}(" + strings.Join(items, "") + "u" }

func classNamed(module, name string) string { return "c" + module + "\n" + name + "\n" }

func reduce(module, name string, args ...string) string {
	return classNamed(module, name) + tuple(args...) + "R"
}

// persistent pickles a reference to a storage of n elements.
func persistent(class, key string, n int64, more ...string) string {
	items := []string{text("storage"), classNamed("torch", class), text(key), text("cpu"), integer(n)}
	return tuple(append(items, more...)...) + "Q"
}

// rebuilt pickles a tensor as a view of a storage.
func rebuilt(storage string, offset int64, shape, strides []int64) string {
	return reduce("torch._utils", "_rebuild_tensor_v2",
		storage, integer(offset), integers(shape...), integers(strides...), "\x89", "}")
}

// pickled returns a complete pickle of a value.
func pickled(value string) string { return "\x80\x02" + value + "." }

// A rec is a record of a zip archive.
type rec struct {
	name    string
	content string
	method  uint16
}

// archived returns a zip archive as torch.save writes it, with the pickle of a value and with records.
func archived(t testing.TB, value string, records ...rec) []byte {
	t.Helper()
	return zipped(t, append([]rec{{name: "net/data.pkl", content: pickled(value)}}, records...)...)
}

func zipped(t testing.TB, records ...rec) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, r := range records {
		f, err := w.CreateHeader(&zip.FileHeader{Name: r.name, Method: r.method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(r.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// old returns a file as torch.save wrote it before PyTorch 1.6, with the pickle of a value and with storages.
func old(value string, storages ...oldStorage) []byte {
	var b bytes.Buffer
	b.WriteString(pickled("\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19"))
	b.WriteString(pickled(integer(1001)))
	b.WriteString(pickled(dict(text("little_endian"), "\x88")))
	b.WriteString(pickled(value))
	keys := "]("
	for _, s := range storages {
		keys += text(s.key)
	}
	b.WriteString(pickled(keys + "e"))
	for _, s := range storages {
		b.Write(binary.LittleEndian.AppendUint64(nil, uint64(s.n)))
		b.WriteString(s.content)
	}
	return b.Bytes()
}

type oldStorage struct {
	key     string
	n       int64
	content string
}

// floats returns the bytes of the n float32 numbers 0, 1, 2 and so on.
func floats(n int) string {
	var b []byte
	for i := range n {
		b, _ = binary.Append(b, binary.LittleEndian, float32(i))
	}
	return string(b)
}

// safetensorsFile returns a safetensors file with a header and the bytes of the elements.
func safetensorsFile(header, elements string) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), elements...)
}

// summary returns the names, types and shapes of the tensors of a state dict on one line.
func summary(d *StateDict) string {
	var b strings.Builder
	for _, v := range views(d) {
		fmt.Fprintf(&b, "%s %s %v;", v.Name, v.Dtype, v.Shape)
	}
	return b.String()
}
