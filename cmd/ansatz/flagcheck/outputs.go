package flagcheck

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// outputKind is the annotation of flags that name an output; its value is one of those below.
const (
	outputKind    = "ansatz-output"
	outputsFile   = "file"
	outputsStream = "file or stdout"
	outputsFolder = "folder"
)

// Stdout is the value that stands for stdout in a flag of [OutputStream].
const Stdout = "-"

// OutputFile adds a flag that names a file to be written. [CheckOutputs] checks all such flags.
func OutputFile(f *pflag.FlagSet, path *string, name, usage string) {
	f.StringVar(path, name, "", usage)
	markOutput(f, name, outputsFile)
}

// OutputStream adds a flag that names a file to be written, or [Stdout].
func OutputStream(f *pflag.FlagSet, path *string, name, usage string) {
	f.StringVar(path, name, "", usage+"; - is stdout")
	markOutput(f, name, outputsStream)
}

// OutputFolder adds a flag that names a folder to be written.
func OutputFolder(f *pflag.FlagSet, path *string, name, usage string) {
	f.StringVar(path, name, "", usage)
	markOutput(f, name, outputsFolder)
}

func markOutput(f *pflag.FlagSet, name, kind string) {
	_ = f.SetAnnotation(name, outputKind, []string{kind}) // fails only for unknown flags
}

// output is a file or a folder that a command was told to write or, in [inputsOf], to read.
type output struct {
	flag, path string
	folder     bool
}

// outputsOf returns the outputs that flags of a command name.
func outputsOf(c *cobra.Command) (all []output) {
	c.Flags().Visit(func(f *pflag.Flag) {
		kind := f.Annotations[outputKind]
		path := f.Value.String()
		if len(kind) == 0 || path == "" || ReadsOut(c, f) || path == Stdout && kind[0] == outputsStream {
			return
		}
		isPage := c.Name() == "report" && strings.HasSuffix(path, ".html")
		all = append(all, output{"--" + f.Name, path, kind[0] == outputsFolder && !isPage})
	})
	return all
}

// NamesOutput reports whether a flag of a command names an output that [CheckOutputs] tries.
func NamesOutput(c *cobra.Command, f *pflag.Flag) bool {
	return f.Annotations[outputKind] != nil && !ReadsOut(c, f)
}

// ReadsOut reports whether a flag is --out of a command that reads that folder, or does not use it.
func ReadsOut(c *cobra.Command, f *pflag.Flag) bool {
	return f.Name == "out" && slices.Contains(readsOut, c.Name())
}

// readsOut lists the commands that read the folder --out, or do not use it.
var readsOut = []string{"status", "list", "compare", "doctor", "predict", "get"}

// CheckOutputs returns an error if a command could not write one of the outputs that its flags name, if two
// of them are one file, or if one is an input too. Call it before anything is read; it leaves no files.
func CheckOutputs(c *cobra.Command, args []string) error {
	outputs := outputsOf(c)
	for i, o := range outputs {
		if err := o.check(); err != nil {
			return err
		}
		for _, other := range outputs[:i] {
			if (!o.folder || !other.folder) && sameFile(o.path, other.path) {
				return fmt.Errorf("%s %s and %s %s are the same file: give another for one of them",
					other.flag, other.path, o.flag, o.path)
			}
		}
		for _, in := range inputsOf(c, args) {
			if sameFile(o.path, in.path) && !(in.folder && in.flag == "") {
				return fmt.Errorf("%s %s would replace what the command reads (%s): give another",
					o.flag, o.path, strings.TrimSpace(in.flag+" "+in.path))
			}
		}
	}
	return nil
}

// inputsOf returns the files and folders that flags and arguments of a command name. An argument has no flag.
func inputsOf(c *cobra.Command, args []string) (all []output) {
	add := func(flag string, texts ...string) {
		for _, text := range texts {
			if info, err := os.Stat(text); err == nil && !data.IsKnown(text) {
				all = append(all, output{flag, text, info.IsDir()})
			}
		}
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		switch v := f.Value.(type) {
		case pflag.SliceValue:
			add("--"+f.Name, v.GetSlice()...)
		default:
			if f.Annotations[outputKind] == nil && f.Name != "data-dir" && v.Type() == "string" {
				add("--"+f.Name, v.String())
			}
		}
	})
	add("", args...)
	return all
}

// CheckPage returns an error if a page cannot be written, or if the file of --index, "" for none, would replace it.
func CheckPage(page, index string) error {
	if index != "" && sameFile(page, index) {
		return fmt.Errorf("--index %s is the page itself: give another file, such as README.md", index)
	}
	return CheckFile("the page", page)
}

// sameFile reports whether two paths lead to the same regular file or folder, which need not exist yet.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return os.SameFile(x, y) && (x.IsDir() || x.Mode().IsRegular())
	}
	if err == nil || err2 == nil || filepath.Base(a) != filepath.Base(b) {
		return false
	}
	x, err = os.Stat(filepath.Dir(a))
	y, err2 = os.Stat(filepath.Dir(b))
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// check returns an error if the output cannot be written. It tries, and changes no file that exists.
func (o output) check() error {
	if o.folder {
		return CheckFolder(o.flag, o.path)
	}
	return CheckFile(o.flag, o.path)
}

// CheckIsThere returns an error if there is no folder of results to read.
func CheckIsThere(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s: give a folder of results", shortPath(path))
	}
	return nil
}

// CheckFile returns an error if a file cannot be written.
func CheckFile(flag, path string) error {
	info, err := os.Stat(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir() {
		return fmt.Errorf("%s %s: there is no folder %s to write it to", flag, shortPath(path),
			shortPath(filepath.Dir(path)))
	}
	if err := atomicfile.CheckWritable(path); err != nil {
		return fmt.Errorf("%s %s: %w: give a file that can be written", flag, shortPath(path),
			withoutPath(err))
	}
	return nil
}

// CheckFolder returns an error if a folder cannot be made, or files in it.
func CheckFolder(flag, path string) error {
	err := atomicfile.CheckFolder(path)
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w: give a folder that can be written to", flag, shortPath(path),
		withoutPath(err))
}

// withoutPath returns the cause of a file's error without the path, which may be that of a temporary file.
func withoutPath(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// longestPath is the most bytes of a path that an error shows.
const longestPath = 200

// shortPath returns a path, or the beginning of one that is too long to read.
func shortPath(path string) string {
	if len(path) <= longestPath {
		return path
	}
	return strings.ToValidUTF8(path[:longestPath], "") + "…"
}
