package job

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// Files maps the files that a plan was made with, by their paths as given, to their SHA-256. Units must be made with
// the same files.
type Files map[string]string

// DigestFiles returns the digests of files. It skips empty paths, and skips arch if that is a name rather than a file.
func DigestFiles(arch string, paths ...string) (Files, error) {
	switch {
	case archfile.Is(arch):
		paths = append(paths, arch)
	case input.IsONNX(arch):
		all, err := onnx.Files(arch)
		if err != nil {
			return nil, &input.Error{Err: err}
		}
		paths = append(paths, all...)
	}
	files := Files{}
	for _, path := range paths {
		if path == "" {
			continue
		}
		sum, err := atomicfile.Digest(path)
		if err != nil {
			return nil, &input.Error{Err: err}
		}
		files[path] = sum
	}
	return files, nil
}

// mostDigested limits the bytes of a folder's files that are read for its digest.
const mostDigested = 4 << 30

// DigestPath returns the SHA-256 of a file, or of the names, sizes and contents of the files in a folder. Of a folder
// larger than 4 GiB it reads only the first files; the others count by name and size.
func DigestPath(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return atomicfile.Digest(path)
	}
	h, left := sha256.New(), int64(mostDigested)
	err = filepath.WalkDir(path+string(filepath.Separator), func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(path, file)
		if err != nil {
			return err
		}
		sum := ""
		if left -= info.Size(); left >= 0 {
			if sum, err = atomicfile.Digest(file); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(h, "%q %d %s\n", name, info.Size(), sum)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

// Check returns an [*input.Error] if a file has changed since the plan was made.
func (f Files) Check() error {
	for _, path := range slices.Sorted(maps.Keys(f)) {
		sum, err := atomicfile.Digest(path)
		if err != nil {
			return input.Errorf("a file of the plan: %w; paths are relative to the folder of ansatz plan: run "+
				"from the same folder", err)
		}
		if err := CheckUnchanged(path, sum, f[path]); err != nil {
			return err
		}
	}
	return nil
}

// CheckUnchanged returns an [*input.Error] unless a digest or a text equals that of the plan.
func CheckUnchanged(what, is, want string) error {
	if is == want {
		return nil
	}
	return input.Errorf("%s changed after the plan was made: now %s, planned with %s; restore what was there, or "+
		"plan anew in another folder", what, is, want)
}

// Inputs identifies what work reads. A plan and a checkpoint store the inputs that they were made with, and a process
// that continues the work must read the same.
type Inputs struct {
	Files Files `json:"files,omitempty"`
	// Data maps inputs other than files, such as "training images" and "classes", to a SHA-256 or to a text.
	Data map[string]string `json:"data,omitempty"`
}

// CheckPlanned returns an [*input.Error] for the first of the data that differs from the plan's. [Files.Check] checks
// the files, before they are read.
func (i Inputs) CheckPlanned(plan Inputs) error {
	all := map[string]string{}
	maps.Copy(all, plan.Data)
	maps.Copy(all, i.Data)
	for _, what := range slices.Sorted(maps.Keys(all)) {
		is, want := cmp.Or(i.Data[what], "none"), cmp.Or(plan.Data[what], "none")
		if err := CheckUnchanged("the "+what, is, want); err != nil {
			return err
		}
	}
	return nil
}

// Changes lists the inputs that differ between work to be continued and its beginning.
func (i Inputs) Changes(begun Inputs) []string {
	var list []string
	for _, path := range slices.Sorted(maps.Keys(begun.Files)) {
		if sum, read := i.Files[path]; read && sum != begun.Files[path] {
			list = append(list, "the file "+path+" has changed")
		}
	}
	for _, what := range slices.Sorted(maps.Keys(begun.Data)) {
		now, was := i.Data[what], begun.Data[what]
		switch {
		case now == was:
		case len(was) == sha256.Size*2:
			list = append(list, "the "+what+" have changed")
		case strings.HasSuffix(what, "s"):
			list = append(list, fmt.Sprintf("the %s were %s, are %s", what, was, now))
		default:
			list = append(list, fmt.Sprintf("the %s was %s, is %s", what, was, now))
		}
	}
	return list
}

// Maker is a version of the program that took part in a run.
type Maker struct {
	Version string `json:"version"`
	// Steps is the number of steps that were complete when this version continued the run.
	Steps int `json:"from_step"`
}

// AddMaker adds this program to the makers of a run, unless it is already the last of them.
func AddMaker(makers []Maker, steps int) []Maker {
	if n := len(makers); n > 0 && makers[n-1].Version == record.Version() {
		return makers
	}
	return append(slices.Clip(makers), Maker{record.Version(), steps})
}

// MakersText returns the versions of the makers, each with the step from which on it took part.
func MakersText(makers []Maker) string {
	var texts []string
	for _, m := range makers {
		texts = append(texts, fmt.Sprintf("%s from step %d on", m.Version, m.Steps))
	}
	return strings.Join(texts, ", ")
}

// Decode reads the settings or a unit of a plan into v. Unknown fields are an [*input.Error].
func Decode(text json.RawMessage, v any) error {
	if err := jsonfile.Decode(text, v); err != nil {
		return input.Errorf("the plan cannot be read: %w; another version of ansatz made it", err)
	}
	return nil
}
