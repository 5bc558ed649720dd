package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
)

// pageFile is the page of a record, beside [FileName].
const pageFile = "report.html"

// replacedNames are the files and folders that belong to any record: new results replace all of them. They are removed
// in this order, since a page without its record would not be recognised as written by ansatz.
var replacedNames = []string{pageFile, FileName, "figures", "tables", "arrays", manifestFile, input.LockFile}

// manifestFile lists what else ansatz wrote into a folder of results, such as a model. These files are replaced
// together with the record; the user's own files stay.
const manifestFile = ".results.json"

// manifest is the content of [manifestFile].
type manifest struct {
	Files []string `json:"files"` // sorted names of files and folders
}

// writeManifest lists the files in a folder of new results other than replacedNames, if there are any.
func writeManifest(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var m manifest
	for _, e := range entries {
		if !slices.Contains(replacedNames, e.Name()) {
			m.Files = append(m.Files, e.Name())
		}
	}
	if m.Files == nil {
		return nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, manifestFile), append(text, '\n'), 0o666)
}

// resultNames returns the names in a folder that belong to its results, in the order in which they are removed. An
// unreadable manifest lists nothing.
func resultNames(dir string) []string {
	var m manifest
	if err := jsonfile.Read(filepath.Join(dir, manifestFile), jsonfile.Small, &m); err != nil {
		return replacedNames
	}
	names := slices.Clone(replacedNames)
	for _, name := range m.Files {
		if filepath.IsLocal(name) && filepath.Base(name) == name && name != "." {
			names = append(names, name)
		}
	}
	return names
}

// WriteResults replaces the results in the folder out by those that write makes in a temporary folder. It holds the
// folder's lock meanwhile. A folder of earlier results is exchanged atomically: if the process is killed, either the
// old or the new results are there, never a mixture. Into any other folder, such as the user's own, the files are
// moved, the record and its page last. The user's files stay. It returns an [*input.Error] if another process works
// there, or if the folder holds a record or a page that ansatz did not write.
func WriteResults(out string, write func(dir string) error) (err error) {
	writeAll := func(dir string) error {
		if err := write(dir); err != nil {
			return err
		}
		return writeManifest(dir)
	}
	return replaceContent(out, []string{FileName}, CheckReplaceable, resultNames, writeAll)
}

// WriteModel replaces the model in a folder by the one that write makes, in the same way as [WriteResults]: a second
// process at the same time gets an error, and a model is always replaced as a whole. Other files stay.
func WriteModel(out string, write func(dir string) error) error {
	anything := func(string) error { return nil }
	err := replaceContent(out, modelFiles, anything, modelNames, write)
	if err != nil {
		return fmt.Errorf("saving the model in %s: %w", out, err)
	}
	return nil
}

// modelFiles describe the model in a folder: an average of several models, or a single one.
var modelFiles = []string{"ensemble.json", "model.json"}

// modelNames returns the names in a folder that belong to the model in it, in the order in which they are removed.
func modelNames(dir string) []string {
	names := append(slices.Clone(modelFiles), "model.safetensors", input.LockFile)
	parts, _ := filepath.Glob(filepath.Join(dir, "*-*", modelFiles[1])) // the pattern is well formed
	for _, path := range parts {
		if name := filepath.Base(filepath.Dir(path)); modelPart.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// modelPart matches the folders of a tree's leaves and of the members of an average.
var modelPart = regexp.MustCompile(`^(leaf-\d{4,}|member-\d+)$`)

// replaceContent replaces the content of a folder by what write makes, under the folder's lock. If one of the files
// marks exists, the folder is one of ansatz and is exchanged atomically. Names lists the files to replace, and check
// may refuse the folder.
func replaceContent(out string, marks []string, check func(out string) error, names func(dir string) []string,
	write func(dir string) error) (err error) {
	release, err := input.LockFolder(out, input.LockFile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := errors.Join(check(out), atomicfile.Sweep(out), atomicfile.Sweep(filepath.Join(out, unfinished))); err != nil {
		return err
	}
	marked := slices.ContainsFunc(marks, func(name string) bool {
		_, err := os.Stat(filepath.Join(out, name))
		return err == nil
	})
	if marked && !isWorkingFolder(out) {
		return atomicfile.WriteFolder(out, func(dir string) error {
			if err := write(dir); err != nil {
				return err
			}
			return linkOthers(out, dir, names(out))
		})
	}
	return moveResults(out, names(out), write)
}

// unfinished is the name of results that are being made, see [atomicfile.TemporaryName].
const unfinished = "results"

// isWorkingFolder reports whether a folder is the working directory of the process, and so of the user's shell.
func isWorkingFolder(dir string) bool {
	here, err := os.Stat(".")
	there, err2 := os.Stat(dir)
	return err == nil && err2 == nil && os.SameFile(here, there)
}

// moveResults moves what write makes into a folder, replacing earlier results with the given names.
func moveResults(out string, earlier []string, write func(dir string) error) error {
	dir := filepath.Join(out, atomicfile.TemporaryName(unfinished))
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := write(dir); err != nil {
		return err
	}
	for _, name := range earlier {
		if name != input.LockFile {
			if err := atomicfile.Remove(filepath.Join(out, name)); err != nil {
				return err
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.SortStableFunc(names, func(a, b string) int { return moveRank(a) - moveRank(b) })
	for _, name := range names {
		to := filepath.Join(out, name)
		if info, err := os.Lstat(to); err == nil && info.IsDir() {
			if err := atomicfile.Remove(to); err != nil {
				return err
			}
		}
		if err := atomicfile.Move(filepath.Join(dir, name), to); err != nil {
			return err
		}
	}
	return nil
}

// moveRank orders the files to move: a record or a model's description after the files that it describes, the page last.
func moveRank(name string) int {
	return slices.Index(append([]string{FileName, pageFile}, modelFiles...), name)
}

// Retract removes the record and the page in a folder before other results there change file by file. If the process
// is killed in between, the folder has no record, rather than one that belongs to other results. The caller holds the
// folder's lock.
func Retract(dir string) error {
	return errors.Join(atomicfile.Remove(filepath.Join(dir, pageFile)), atomicfile.Remove(filepath.Join(dir, FileName)))
}

// CheckOut returns an [*input.Error] if results could not be written to a folder. It makes the folder, and checks that
// files can be created in it and that it holds nothing that ansatz did not write. Commands call it before a long
// computation.
func CheckOut(out string) error {
	release, err := input.LockFolder(out, input.LockFile)
	if err != nil {
		return err
	}
	return errors.Join(CheckNoPlan(out), CheckReplaceable(out), release())
}

// CheckNoPlan returns an [*input.Error] for the folder of a plan, whose merging would replace other results.
func CheckNoPlan(out string) error {
	if _, err := os.Lstat(filepath.Join(out, shard.PlanFile)); err != nil {
		return nil // CheckReplaceable says what is wrong with the folder
	}
	return input.Errorf("%s holds a plan (%s), and ansatz merge writes its results there: give another --out", out, shard.PlanFile)
}

// The files that mark a run that can be resumed.
const (
	// TrainingFile is the checkpoint of a training. Its name differs from those of weights because its content
	// includes times, and so differs between equal runs.
	TrainingFile = "run.checkpoint"
	// TabularFile holds the settings of a benchmark of tables.
	TabularFile = "tabular.json"
)

// CheckReplaceable returns an [*input.Error] if results must not replace the content of a folder: a training or a
// benchmark that can be resumed, a record or a page that ansatz did not write, or a file where the results need a
// folder.
func CheckReplaceable(out string) error {
	for _, name := range replacedNames {
		folder := filepath.Ext(name) == ""
		path := filepath.Join(out, name)
		if _, err := os.Lstat(path); err != nil {
			continue // it does not exist
		}
		info, err := os.Stat(path)
		switch {
		case folder && (err != nil || !info.IsDir()):
			return input.Errorf("%s takes the place of a result folder: move it, or give another --out", path)
		case !folder && (err != nil || !info.Mode().IsRegular()):
			return input.Errorf("%s takes the place of a result file: move it, or give another --out", path)
		}
	}
	for _, name := range []string{TrainingFile, TabularFile} {
		if _, err := os.Lstat(filepath.Join(out, name)); err == nil {
			return input.Errorf("%s holds a run that --resume goes on with (%s): give another --out", out, name)
		}
	}
	kind, err := KindIn(out)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(out, pageFile)); err == nil && kind == "" {
		return input.Errorf("%s holds a %s that ansatz did not write: give another --out", out, pageFile)
	}
	return nil
}

// KindIn returns the kind of the record in a folder, "" if there is no record, and "unknown" if an early version
// without kinds wrote it. A record that ansatz did not write is an [*input.Error].
func KindIn(dir string) (string, error) {
	var head struct {
		Record      string          `json:"record"`
		Conventions json.RawMessage `json:"conventions"` // in records of early versions without kinds
		Experiment  string          `json:"experiment"`
	}
	err := jsonfile.Read(filepath.Join(dir, FileName), jsonfile.Large, &head)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil || head.Record == "" && head.Conventions == nil && head.Experiment == "" {
		return "", input.Errorf("%s holds a %s that ansatz did not write: give another --out", dir, FileName)
	}
	return cmp.Or(head.Record, "unknown"), nil
}

// linkOthers links the files of the old folder that are not named in results into the new one.
func linkOthers(old, dir string, results []string) error {
	entries, err := os.ReadDir(old)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !slices.Contains(results, e.Name()) {
			err = errors.Join(err, linkTree(filepath.Join(old, e.Name()), filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// linkTree makes hard links of a file, or of all files in a folder, under another name. Existing files there stay.
func linkTree(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		if err := os.Link(from, to); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	}
	if err := os.Mkdir(to, info.Mode().Perm()); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	entries, err := os.ReadDir(from)
	for _, e := range entries {
		err = errors.Join(err, linkTree(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())))
	}
	return err
}
