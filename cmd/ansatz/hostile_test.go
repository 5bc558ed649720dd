package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostilePickles returns the pickles that data/array/testdata/make_hostile.py made, by name. Each makes a file if
// Python loads it, and each uses a different way in which a pickle can call a function.
func hostilePickles(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("../../data/array/testdata/hostile/*.pickle")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d hostile pickles, %v", len(paths), err)
	}
	all := map[string][]byte{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".pickle")] = content
	}
	return all
}

// oldHead is the beginning of a file as torch.save wrote it before PyTorch 1.6: a magic number, the version of the
// protocol and a description of the machine.
const oldHead = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19." + "\x80\x02M\xe9\x03." +
	"\x80\x02}(X\x10\x00\x00\x00protocol_versionM\xe9\x03X\x0d\x00\x00\x00little_endian\x88u."

// asCheckpoint writes a pickle in a zip file, as torch.save does.
func asCheckpoint(t *testing.T, path string, pickle []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for _, part := range []struct{ name, content string }{{"evil/data.pkl", string(pickle)}, {"evil/version", "3\n"}} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: part.name})
		if err == nil {
			_, err = w.Write([]byte(part.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestHostilePickles checks that a pickle that runs a command when Python loads it runs nothing here, wherever the
// command line accepts a pickle. It is refused. If the call stands in the place of a tensor, the error names the
// function that would have been called.
func TestHostilePickles(t *testing.T) {
	arch, file := smallFiles(t)
	called := map[string]string{
		"reduce-system": "posix.system", "reduce-eval": "builtins.eval", "reduce-exec": "builtins.exec",
		"reduce-import": "builtins.eval",
		"reduce-popen":  "subprocess.getoutput", "reduce-open": "builtins.open", "inst": "posix.system",
		"obj": "posix.system", "stack-global": "posix.system",
		"text": "posix.system", "map": "builtins.list", "newobj": "builtins.bytes", "nested": "pickle.loads",
		"build-setstate": "types.SimpleNamespace",
	}
	for name, pickle := range hostilePickles(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			asCheckpoint(t, "evil.pth", pickle)
			write := func(path string, content ...[]byte) {
				t.Helper()
				if err := os.WriteFile(path, bytes.Join(content, nil), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			write("old.pth", []byte(oldHead), pickle, []byte("\x80\x02]."))
			write("plain.pth", pickle)
			cifar := filepath.Join("sets", "cifar-100-python")
			if err := os.MkdirAll(cifar, 0o777); err != nil {
				t.Fatal(err)
			}
			// The reader of CIFAR-100 looks for a list under another key.
			pickle = []byte(strings.NewReplacer("X\x04\x00\x00\x00data", "X\x10\x00\x00\x00fine_label_names", "S'data'",
				"S'fine_label_names'").Replace(string(pickle)))
			for _, path := range []string{"meta", "test", "train"} {
				write(filepath.Join(cifar, path), pickle)
			}
			for _, args := range [][]string{
				{"verify", "--arch", arch, "--data", "glyphs", "--weights", "evil.pth"},
				{"verify", "--arch", arch, "--data", "glyphs", "--weights", "plain.pth"},
				{"verify", "--arch", arch, "--data", "glyphs", "--weights", "old.pth"},
				{"ntk", "--arch", arch, "--data", "glyphs", "--images", "3", "--weights", "evil.pth"},
				{"train", "--arch", arch, "--data", "glyphs", "--epochs", "1", "--init-weights", "evil.pth"},
				{"verify", "--arch", arch, "--data", "cifar100", "--data-dir", "sets", "--weights", file},
				{"rfm", "--data", "cifar100", "--data-dir", "sets", "--train", "3", "--test", "3", "--quiet"},
			} {
				code, out, errs := ansatz(t, args...)
				if code != exitUsage || out != "" || !strings.Contains(errs, "Error: ") {
					t.Errorf("%v: exit %d, %s%s", args, code, out, errs)
				}
				if want := called[name]; args[len(args)-1] != "plain.pth" && !strings.Contains(errs, want) {
					t.Errorf("%v: want %q: %s", args, want, errs)
				}
			}
			if left, err := filepath.Glob("*run*"); err != nil || len(left) > 0 {
				t.Errorf("reading it left %v, %v", left, err)
			}
		})
	}
}
