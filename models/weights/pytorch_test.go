package weights

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/pickle"
	"github.com/ansatz-lab/ansatz/internal/realdata"
	"github.com/google/go-cmp/cmp"
)

// wantFormatError checks that err is a FormatError whose text contains all parts.
func wantFormatError(t *testing.T, err error, parts ...string) {
	t.Helper()
	var format *FormatError
	if !errors.As(err, &format) {
		t.Fatalf("error is %v (%T), want a *FormatError", err, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error is %q, want it to say %q", err, part)
		}
	}
}

func TestRefusedFixtures(t *testing.T) {
	tests := []struct {
		name string
		want []string
	}{
		{"module.zip.pth", []string{"an object of class __main__.Net", "torch.save(model.state_dict()"}},
		{"module.old.pth", []string{"an object of class __main__.Net", "torch.save(model.state_dict()"}},
		{"sparse.zip.pth", []string{`a tensor under "weight"`, "_rebuild_sparse_tensor", "to_dense"}},
		{"sparse.old.pth", []string{`a tensor under "weight"`, "_rebuild_sparse_tensor", "to_dense"}},
		{"list.zip.pth", []string{"a list"}},
		{"list.old.pth", []string{"a list"}},
		{"hostile.zip.pth", []string{"posix.system", hintAttack}},
		{"hostile.old.pth", []string{"posix.system", hintAttack}},
		{"script.pt", []string{"torch.jit.save", "torch.jit.load"}},
		{"tar.pth", []string{"a tar archive", "re-save"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join("testdata", test.name)
			d, err := Open(path)
			if d != nil {
				t.Errorf("got a state dict of %d tensors beside the error", d.Len())
			}
			wantFormatError(t, err, append(test.want, path)...)
		})
	}
}

// TestNothingIsRun reads pickles that would make a file if Python loaded them.
func TestNothingIsRun(t *testing.T) {
	for _, name := range fixtures(t) {
		if strings.HasPrefix(name, "hostile") {
			_, _ = Open(filepath.Join("testdata", name))
		}
	}
	for _, dir := range []string{".", "testdata"} {
		if _, err := os.Stat(filepath.Join(dir, "weights-were-run")); err == nil {
			t.Fatal("reading a pickle ran what it says")
		}
	}
}

// TestResNet20 reads a checkpoint that somebody else trained and published.
func TestResNet20(t *testing.T) {
	d, err := Open(realdata.File(t, "weights/resnet20.th"))
	if err != nil {
		t.Fatal(err)
	}
	const digest = "dfc1adec1a659870ae0d20517e02e08448d98c2bacd97b285c2ced0d21cf03f8"
	if got := d.SHA256(); got != digest {
		t.Errorf("SHA256 is %s, want %s", got, digest)
	}
	err = d.Check([]Spec{{Name: "conv1.weight", Shape: []int{16, 3, 3, 3}},
		{Name: "linear.weight", Shape: []int{10, 64}}})
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) || len(mismatch.Missing)+len(mismatch.Misshaped) > 0 {
		t.Errorf("Check: %v, want nothing missing or mis-shaped", err)
	}
	if names := d.NaNs(); len(names) > 0 {
		t.Errorf("NaNs in %v", names)
	}
}

// TestRebuild reads tensors whose pickles call the rebuilding functions of PyTorch with all kinds of arguments.
func TestRebuild(t *testing.T) {
	const max = math.MaxInt64
	floatStorage := persistent("FloatStorage", "0", 6)
	untyped := tuple(text("storage"), classNamed("torch.storage", "UntypedStorage"), text("0"), text("cpu"),
		integer(24)) + "Q"
	plain := rebuilt(floatStorage, 0, []int64{2, 3}, []int64{3, 1})
	v3 := func(dtype string, shape ...int64) string {
		return reduce("torch._utils", "_rebuild_tensor_v3", untyped, integer(0), integers(shape...), integers(1),
			"\x89", "}", classNamed("torch", dtype))
	}
	tests := []struct {
		name   string
		tensor string
		want   string // the summary, or a part of the error
	}{
		{"v2", plain, "w float32 [2 3];"},
		{"v1", reduce("torch._utils", "_rebuild_tensor", floatStorage, integer(1), integers(5), integers(1)),
			"w float32 [5];"},
		{"v3 of uint16", v3("uint16", 12), "w uint16 [12];"},
		{"v3 of uint64", v3("uint64", 3), "w uint64 [3];"},
		{"v3 beyond the storage", v3("uint64", 4), "beyond the 24 bytes"},
		{"v3 of float8", v3("float8_e4m3fn", 24), "torch.float8_e4m3fn"},
		{"v3 without a dtype", reduce("torch._utils", "_rebuild_tensor_v3", untyped), "a tensor of 1 arguments"},
		{"parameter", reduce("torch._utils", "_rebuild_parameter", plain, "\x88", "}"), "w float32 [2 3];"},
		{"parameter of nothing", reduce("torch._utils", "_rebuild_parameter"), "without arguments"},
		{"torch.Size", reduce("torch._utils", "_rebuild_tensor", floatStorage, integer(0),
			reduce("torch", "Size", integers(6)), integers(1)), "w float32 [6];"},
		{"no metadata", reduce("torch._utils", "_rebuild_tensor_v2", floatStorage, integer(0), integers(6), integers(1),
			"\x89", "}", "}"), "w float32 [6];"},
		{"negative bit", reduce("torch._utils", "_rebuild_tensor_v2", floatStorage, integer(0), integers(6),
			integers(1), "\x89", "}", dict(text("neg"), "\x88")), "resolve_neg"},
		{"no storage", reduce("torch._utils", "_rebuild_tensor", "N", integer(0), integers(6), integers(1)),
			"whose storage is None"},
		{"negative offset", rebuilt(floatStorage, -1, []int64{1}, []int64{1}), "without an offset"},
		{"negative size", rebuilt(floatStorage, 0, []int64{-1}, []int64{1}), "without an offset"},
		{"negative stride", rebuilt(floatStorage, 3, []int64{2}, []int64{-1}), "without an offset"},
		{"too few strides", rebuilt(floatStorage, 0, []int64{2, 3}, []int64{1}), "as many strides"},
		{"too many dimensions", rebuilt(floatStorage, 0, make([]int64, 33), make([]int64, 33)), "without an offset"},
		{"one beyond", rebuilt(floatStorage, 1, []int64{2, 3}, []int64{3, 1}), "beyond the 24 bytes"},
		{"offset beyond", rebuilt(floatStorage, max, []int64{1}, []int64{1}), "beyond the 24 bytes"},
		{"huge stride", rebuilt(floatStorage, 0, []int64{3}, []int64{max}), "beyond the 24 bytes"},
		{"huge strides", rebuilt(floatStorage, 0, []int64{2, 2}, []int64{max, max}), "beyond the 24 bytes"},
		{"stride that wraps in bytes", rebuilt(floatStorage, 0, []int64{2}, []int64{1 << 62}), "beyond the 24 bytes"},
		{"huge shape", rebuilt(floatStorage, 0, []int64{1 << 40, 1 << 40}, []int64{0, 0}), "more than can be counted"},
		{"expanded beyond memory", rebuilt(floatStorage, 0, []int64{1 << 40}, []int64{0}),
			"16 times the size of the file"},
		{"expanded to wrap in bytes", rebuilt(floatStorage, 0, []int64{1 << 62}, []int64{0}),
			"16 times the size of the file"},
		{"huge and empty", rebuilt(floatStorage, max, []int64{max, 0, max}, []int64{max, max, max}),
			fmt.Sprintf("w float32 [%d 0 %d];", max, max)},
		{"scalar", rebuilt(floatStorage, 5, nil, nil), "w float32 [];"},
		{"complex", rebuilt(persistent("ComplexFloatStorage", "0", 3), 0, []int64{3}, []int64{1}),
			"torch.ComplexFloatStorage"},
		{"unknown storage", rebuilt(persistent("NovelStorage", "0", 3), 0, []int64{3}, []int64{1}),
			"torch.NovelStorage"},
		{"endless storage", rebuilt(persistent("DoubleStorage", "0", max), 0, []int64{3}, []int64{1}),
			"beyond all bounds"},
		{"storage of less than nothing", rebuilt(persistent("DoubleStorage", "0", -1), 0, []int64{3}, []int64{1}),
			"without a key or a size"},
		{"storage of two sizes", floatStorage + "0" + rebuilt(persistent("FloatStorage", "0", 7), 0, []int64{1},
			[]int64{1}), "a second size"},
		{"record of another size", rebuilt(persistent("FloatStorage", "0", 5), 0, []int64{5}, []int64{1}),
			"expected the 20 bytes of storage \"0\", found 24 bytes"},
		{"no such record", rebuilt(persistent("FloatStorage", "1", 6), 0, []int64{5}, []int64{1}), "no such record"},
		{"strange persistent id", rebuilt(tuple(text("cloud"), text("a"), text("b"))+"Q", 0, []int64{5}, []int64{1}),
			"not a storage's"},
		{"empty persistent id", rebuilt(")Q", 0, []int64{5}, []int64{1}), "a persistent id of no items"},
		{"from type", reduce("torch._tensor", "_rebuild_from_type_v2", classNamed("torch._utils", "_rebuild_tensor"),
			classNamed("torch", "Tensor"), tuple(floatStorage, integer(0), integers(6), integers(1)), "}"),
			"w float32 [6];"},
		{"from a subclass", reduce("torch._tensor", "_rebuild_from_type_v2", classNamed("torch._utils",
			"_rebuild_tensor"), classNamed("mine", "Tensor"), tuple(floatStorage, integer(0), integers(6), integers(1)),
			"}"), "class mine.Tensor"},
		{"from no class", reduce("torch._tensor", "_rebuild_from_type_v2",
			classNamed("torch._utils", "_rebuild_tensor"), "N", tuple(), "}"), "without a class"},
		{"from itself", reduce("torch._tensor", "_rebuild_from_type_v2", classNamed("torch._tensor",
			"_rebuild_from_type_v2"), classNamed("torch", "Tensor"), tuple(), "}"), "a class or function of PyTorch"},
		{"from nothing", reduce("torch._tensor", "_rebuild_from_type_v2"), "a tensor of 0 arguments"},
		{"a number", integer(3), "the integer 3"},
		{"a float", "G\x3f\xf0\x00\x00\x00\x00\x00\x00", "the float 1"},
		{"a text", text("zero"), `the text "zero"`},
		{"a bool", "\x88", "the bool true"},
		{"a class", classNamed("mine", "Net"), "the class or function mine.Net"},
		{"a class with an escape for a terminal", classNamed("mine", "\x1b[31m"), `mine.\x1b[31m`},
		{"a storage class", classNamed("torch", "FloatStorage"), "a class or function of PyTorch"},
		{"a storage", floatStorage, "a storage"},
		{"a dict", "}", "a dict"},
		{"a tuple", ")", "a tuple"},
		{"bytes", "C\x01a", "bytes"},
		{"a large number", "\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01", "a long integer"},
		{"what a number gives when called", integer(1) + ")R", "what a call of the integer 1 gives"},
		{"what an object gives when called", reduce("mine", "factory") + ")R", "an object of class mine.factory"},
		{"an object of named arguments", classNamed("mine", "Net") + ")}\x92", "an object of class mine.Net"},
		{"an object of protocol 0", "(" + classNamed("mine", "Net") + "o", "an object of class mine.Net"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := readBytes(archived(t, dict(text("w"), test.tensor), rec{name: "net/data/0", content: floats(6)}))
			if err == nil {
				if got := summary(d); got != test.want {
					t.Errorf("got %s, want %s", got, test.want)
				}
				return
			}
			wantFormatError(t, err, test.want, "(")
		})
	}
}

func TestUnwrap(t *testing.T) {
	w := rebuilt(persistent("FloatStorage", "0", 6), 0, []int64{6}, []int64{1})
	state := dict(text("w"), w)
	tests := []struct {
		name  string
		value string
		want  string
	}{
		{"state dict", state, "w float32 [6];"},
		{"OrderedDict", reduce("collections", "OrderedDict") + "(" + text("w") + w + "u", "w float32 [6];"},
		{"empty", "}", ""},
		{"under state_dict", dict(text("state_dict"), state, text("model"), integer(1)), "w float32 [6];"},
		{"under model_state_dict", dict(text("model_state_dict"), state), "w float32 [6];"},
		{"under model", dict(text("epoch"), integer(3), text("model"), state), "w float32 [6];"},
		{"under net, beside the model's name", dict(text("model"), text("resnet18"), text("net"), state), "w float32 [6];"},
		{"under net", dict(text("net"), state), "w float32 [6];"},
		{"under params", dict(text("params"), state), "w float32 [6];"},
		{"beside a tensor", dict(text("best_acc1"), w, text("state_dict"), state), "w float32 [6];"},
		{"a tensor of such a name", dict(text("model"), w), "model float32 [6];"},
		{"later value of a key", dict(text("w"), integer(1), text("v"), w, text("w"), w),
			"w float32 [6];v float32 [6];"},
		{"extra state", dict(text("w"), w, text("norm._extra_state"), integer(1)), "w float32 [6];"},
		{"module.", dict(text("module.a"), w, text("module.b"), w), "a float32 [6];b float32 [6];"},
		{"module. of some", dict(text("module.a"), w, text("b"), w), "module.a float32 [6];b float32 [6];"},
		{"module. alone", dict(text("module."), w), "module. float32 [6];"},
		{"module.module.", dict(text("module.module.a"), w), "a float32 [6];"},
		{"_orig_mod.", dict(text("_orig_mod.a"), w), "a float32 [6];"},
		{"module._orig_mod.", dict(text("module._orig_mod.a"), w), "a float32 [6];"},
		{"module in a checkpoint", dict(text("model"), reduce("mine", "Net")),
			`a state dict under "model", found an object of class mine.Net`},
		{"eight checkpoints", strings.Repeat("}"+text("model"), 9) + "}" + strings.Repeat("s", 9),
			"checkpoints in checkpoints"},
		{"no names", dict(integer(1), w), "the name of a tensor, found the integer 1"},
		{"no UTF-8", dict(text("\xff"), w), "the name of a tensor"},
		{"an endless name", dict(text(strings.Repeat("a", pickle.MaxText+1)), w), "the name of a tensor"},
		{"None", "N", "a state dict, found None"},
		{"one tensor", w, "a single tensor"},
		{"a list in itself", "]q\x00h\x00a", "a list"},
		{"a dict in itself", "}q\x00" + text("model") + "h\x00s", "checkpoints in checkpoints"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, data := range [][]byte{
				archived(t, test.value, rec{name: "net/data/0", content: floats(6)}),
				old(test.value, storagesOf(test.value)...),
			} {
				d, err := readBytes(data)
				if err != nil && test.want != "" {
					wantFormatError(t, err, test.want)
				} else if err != nil {
					t.Errorf("%v, want an empty state dict", err)
				} else if got := summary(d); got != test.want {
					t.Errorf("got %s, want %s", got, test.want)
				}
			}
		})
	}
}

// storagesOf returns the storages that a value of TestUnwrap needs.
func storagesOf(value string) []oldStorage {
	if !strings.Contains(value, "FloatStorage") {
		return nil
	}
	return []oldStorage{{"0", 6, floats(6)}}
}

func TestArchiveErrors(t *testing.T) {
	state := dict(text("w"), rebuilt(persistent("FloatStorage", "0", 6), 0, []int64{6}, []int64{1}))
	pkl := rec{name: "net/data.pkl", content: pickled(state)}
	storage := rec{name: "net/data/0", content: floats(6)}
	zeros := strings.Repeat("\x00", 20<<20)
	tests := []struct {
		name    string
		records []rec
		want    string
	}{
		{"empty", nil, "an empty archive"},
		{"arrays of NumPy", []rec{{name: "weight.npy"}}, `1 others, the first being "weight.npy"`},
		{"deeper", []rec{{name: "a/b/data.pkl", content: pkl.content}}, "data.pkl"},
		{"two pickles", []rec{pkl, {name: "other/data.pkl"}}, "one data.pkl, found a second one"},
		{"two records of a name", []rec{pkl, storage, storage}, `one record "data/0", found two`},
		{"TorchScript", []rec{pkl, {name: "net/constants.pkl"}}, "torch.jit.save"},
		{"big endian", []rec{pkl, storage, {name: "net/byteorder", content: "big"}}, `"big"`},
		{"no byte order", []rec{pkl, storage, {name: "net/byteorder", content: ""}}, `found ""`},
		{"endless byte order", []rec{pkl, storage, {name: "net/byteorder", content: "littlelittle"}},
			`found "littlel"`},
		{"bytes after the pickle", []rec{{name: pkl.name, content: pkl.content + "N"}, storage}, "its end after"},
		{"no pickle", []rec{{name: pkl.name}, storage}, "a pickle instruction, found the end of the data"},
		{"pickle of nothing", []rec{{name: pkl.name, content: "."}}, "one that cannot be run: the stack is empty"},
		{"pickle that panics", []rec{{name: pkl.name, content: "(Nd."}},
			"one that cannot be run: runtime error: index out of range"},
		{"storage too short", []rec{pkl, {name: storage.name, content: floats(5)}}, "found 20 bytes"},
		{"storage too long", []rec{pkl, {name: storage.name, content: floats(7)}}, "found 28 bytes"},
		{"inflated pickle", []rec{{pkl.name, pickled(text(zeros)), zip.Deflate}}, "compressed to no less than 1/100"},
		{"inflated storage", []rec{
			{name: pkl.name,
				content: pickled(dict(text("w"), rebuilt(persistent("ByteStorage", "0", int64(len(zeros))), 0,
					[]int64{1}, []int64{1})))},
			{storage.name, zeros, zip.Deflate},
		}, "16 times the size of the file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readBytes(zipped(t, test.records...))
			wantFormatError(t, err, test.want, "PyTorch (zip)")
		})
	}
}

func TestArchiveLittleEndian(t *testing.T) {
	d,
		err := readBytes(
		archived(t, dict(text("w"), rebuilt(persistent("FloatStorage", "0", 6), 0, []int64{6}, []int64{1})),
			rec{"net/data/0", floats(6), zip.Deflate}, rec{name: "net/byteorder", content: "little"},
			rec{name: "net/.data/serialization_id"}))
	if err != nil {
		t.Fatal(err)
	}
	want := []view{{"w", "float32", []int{6}, []string{exact(0.0), exact(1.0), exact(2.0), exact(3.0), exact(4.0),
		exact(5.0)}}}
	if diff := cmp.Diff(want, views(d)); diff != "" {
		t.Error(diff)
	}
}

// TestArchiveLies changes the size of a deflated storage in the directory of the archive.
func TestArchiveLies(t *testing.T) {
	state := dict(text("w"), rebuilt(persistent("FloatStorage", "0", 6), 0, []int64{6}, []int64{1}))
	for _, n := range []int{5, 7} {
		data := zipped(t, rec{name: "net/data.pkl", content: pickled(state)}, rec{"net/data/0", floats(n), zip.Deflate})
		size := bytes.LastIndex(data, []byte("PK\x01\x02")) + 24
		if int(data[size]) != 4*n {
			t.Fatalf("the size is %d", data[size])
		}
		data[size] = 24
		_, err := readBytes(data)
		wantFormatError(t, err, `the 24 bytes of storage "0"`)
	}
}

// TestArchiveDamage changes single bytes of an archive. Only the fields and checksums of the archive can reveal this.
func TestArchiveDamage(t *testing.T) {
	state := dict(text("w"), rebuilt(persistent("FloatStorage", "0", 6), 0, []int64{6}, []int64{1}))
	whole := zipped(t, rec{name: "net/data.pkl", content: pickled(state)}, rec{name: "net/data/0", content: floats(6)})
	directory := bytes.Index(whole, []byte("PK\x01\x02"))
	tests := []struct {
		name string
		at   int
		b    byte
		want string
	}{
		{"elements", bytes.Index(whole, []byte(floats(6))) + 23, 0x7f, "checksum"},
		{"name in the pickle", bytes.Index(whole, []byte("X\x01\x00\x00\x00w")) + 5, 'v', "checksum"},
		{"encrypted", directory + 8, 0x09, "encrypted"},
		{"method", directory + 10, 12, "method 12"},
		{"compressed size", directory + 22, 1, "end of the data"},
		{"size", directory + 26, 1, "bytes for"},
		{"local header", 0, 'Q', "safetensors file or one of torch.save"},
		{"offset of the directory", bytes.Index(whole, []byte("PK\x05\x06")) + 17, 3, "data.pkl"},
		{"second local header", bytes.LastIndex(whole, []byte("PK\x03\x04")), 'Q', "damaged data"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := bytes.Clone(whole)
			data[test.at] = test.b
			_, err := readBytes(data)
			wantFormatError(t, err, test.want)
		})
	}
}

func TestPicklesErrors(t *testing.T) {
	state := dict(text("w"), rebuilt(persistent("FloatStorage", "0", 6), 0, []int64{6}, []int64{1}))
	whole := old(state, oldStorage{"0", 6, floats(6)})
	replace := func(from, to string) []byte {
		if bytes.Count(whole, []byte(from)) != 1 {
			t.Fatalf("%q is not once in the file", from)
		}
		return bytes.Replace(whole, []byte(from), []byte(to), 1)
	}
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"pickle of something else", []byte(pickled(dict(text("w"), integer(1)))),
			"the magic number of torch.save, found a dict"},
		{"another number", replace("\x50\x19.", "\x50\x18."), "found a long integer"},
		{"version", replace(integer(1001), integer(1002)), "found the integer 1002"},
		{"big endian", replace("\x88", "\x89"), "little-endian"},
		{"no properties", replace(dict(text("little_endian"), "\x88"), "]"),
			"a dict of the machine's properties, found a list"},
		{"key without a storage", old(state, oldStorage{"1", 6, floats(6)}), `the key "1"`},
		{"key twice", old(state, oldStorage{"0", 6, floats(6)}, oldStorage{"0", 6, floats(6)}), `the key "0"`},
		{"no keys", replace("]("+text("0")+"e", "N"), "found None"},
		{"key of a number", replace("]("+text("0")+"e", "](K\x00e"), "found the integer 0"},
		{"no such key", old(state), "a list without it"},
		{"fewer elements", old(state, oldStorage{"0", 5, floats(5)}), "found 5 elements"},
		{"more elements", old(state, oldStorage{"0", 1 << 60, floats(6)}), "elements"},
		{"view of three elements", old(dict(text("w"), rebuilt(viewOf(3, 3), 1, []int64{3}, []int64{1})),
			oldStorage{"0", 6, floats(6)}), "beyond the 12 bytes"},
		{"view beyond", old(dict(text("w"), rebuilt(viewOf(4, 3), 0, []int64{3}, []int64{1})),
			oldStorage{"0", 6, floats(6)}), "a view beyond the 6 elements"},
		{"view before", old(dict(text("w"), rebuilt(viewOf(-1, 3), 0, []int64{3}, []int64{1})),
			oldStorage{"0", 6, floats(6)}), "a view beyond the 6 elements"},
		{"view that wraps", old(dict(text("w"), rebuilt(viewOf(math.MaxInt64, math.MaxInt64), 0, []int64{3},
			[]int64{1})), oldStorage{"0", 6, floats(6)}), "a view beyond the 6 elements"},
		{"view of nothing", old(dict(text("w"), rebuilt(persistent("FloatStorage", "0", 6, "]"), 0, []int64{3},
			[]int64{1})), oldStorage{"0", 6, floats(6)}), "a view of a storage without a size"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readBytes(test.data)
			wantFormatError(t, err, test.want, "PyTorch (before 1.6)")
		})
	}
}

// viewOf pickles a view of a storage of six elements, which has n elements from offset on.
func viewOf(offset, n int64) string {
	return persistent("FloatStorage", "0", 6, tuple(text("1"), integer(offset), integer(n)))
}

func TestPicklesView(t *testing.T) {
	d, err := readBytes(old(dict(text("w"), rebuilt(viewOf(2, 3), 1, []int64{2}, []int64{1})),
		oldStorage{"0", 6, floats(6)}))
	if err != nil {
		t.Fatal(err)
	}
	want := []view{{"w", "float32", []int{2}, []string{exact(3.0), exact(4.0)}}}
	if diff := cmp.Diff(want, views(d)); diff != "" {
		t.Error(diff)
	}
}

// TestPicklesModule reads an old file that holds a class together with its source code.
func TestPicklesModule(t *testing.T) {
	module := tuple(text("module"), classNamed("mine", "Net"), text("net.py"), text("class Net: pass")) + "Q"
	_, err := readBytes(old(module + ")\x81"))
	wantFormatError(t, err, "an object of class mine.Net")
}
