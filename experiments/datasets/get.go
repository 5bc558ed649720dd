package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/catalogue"
	"github.com/ansatz-lab/ansatz/data/fetch"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/suggest"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// GetSpec says which dataset to download, and where to.
type GetSpec struct {
	Name string
	Dir  string // the data folder; "" is the default one

	// Mirror is an address with the files under the paths of the data folder. It is tried before the
	// publisher; "" is none.
	Mirror string

	Progress func(file string, done, total int64) // may be nil
	Note     func(file, text string)              // gets remarks on the download; may be nil
}

// Got is a downloaded dataset.
type Got struct {
	Dataset string        `json:"dataset"`
	Dir     string        `json:"dir"`
	Files   []FetchedFile `json:"files"`
	Laid    int           `json:"laid_out"`          // number of files after unpacking
	Receipt string        `json:"receipt"`           // the path of the list of files
	ByHand  string        `json:"by_hand,omitempty"` // what the user has to do
}

// FetchedFile is a file of a downloaded dataset.
type FetchedFile struct {
	Path    string `json:"path"` // in the data folder
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
	Checked string `json:"checked"`        // how its contents were checked
	From    string `json:"from,omitempty"` // the address; "" if the file was there already
}

// Gets holds several downloaded datasets.
type Gets struct {
	Datasets []*Got `json:"datasets"`
}

// Get downloads and unpacks the missing files of a dataset. If ctx ends, the error is a [*CutOffError].
func Get(ctx context.Context, s GetSpec) (*Got, error) {
	e, err := downloadable(s.Name)
	if err != nil {
		return nil, err
	}
	if s.Mirror != "" && !strings.HasPrefix(s.Mirror, "http://") && !strings.HasPrefix(s.Mirror, "https://") {
		return nil, input.Errorf("--mirror %q: want an address that begins with http:// or https://", s.Mirror)
	}
	dir, err := data.Folder(s.Dir)
	if err != nil {
		return nil, err
	}
	path := receiptPath(dir, e.Name)
	earlier, err := fetch.ReadReceipt(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	results, err := fetch.Get(ctx, dir, fetchFiles(e, s.Mirror),
		fetch.Options{Receipt: earlier, Progress: s.Progress, Note: s.Note})
	if err != nil {
		return nil, explainGet(ctx, e, err)
	}
	receipt := fetch.NewReceipt(results)
	if err := fetch.WriteReceipt(path, receipt); err != nil {
		return nil, err
	}
	got := &Got{Dataset: e.Name, Dir: dir, Receipt: path, ByHand: e.ByHand}
	got.Laid, _ = receipt.Files()
	for _, r := range results {
		got.Files = append(got.Files, FetchedFile{
			Path: r.Path, Bytes: r.Bytes, SHA256: r.SHA256.String(), Checked: string(r.Check), From: r.URL,
		})
	}
	return got, nil
}

// CutOffError says that a download was stopped and can continue.
type CutOffError struct{ Dataset string }

// Interrupted returns true: the download can continue.
func (e *CutOffError) Interrupted() bool { return true }

// Error says how to continue.
func (e *CutOffError) Error() string {
	return fmt.Sprintf("interrupted: run the same command again, and the download of %s continues where it stopped",
		e.Dataset)
}

// downloadable returns the entry of a dataset. If it cannot be downloaded, the error is an input error.
func downloadable(name string) (*catalogue.Entry, error) {
	base, _, _ := strings.Cut(name, ":")
	e, ok := catalogue.Find(base)
	switch {
	case !ok:
		return nil, input.Errorf("no dataset %q%s: ansatz data list shows all", name, suggest.Hint(base, names()))
	case e.Kind == catalogue.Generated:
		return nil, input.Errorf("%s is generated: there is nothing to download", e.Name)
	case len(e.Files) == 0:
		return nil, input.Errorf("%s cannot be downloaded by a program (%s): %s", e.Name, e.Home, e.ByHand)
	}
	return &e, nil
}

// names lists all datasets.
func names() (all []string) {
	for _, e := range catalogue.All() {
		all = append(all, e.Name)
	}
	return all
}

// receiptPath returns the path of the list of a dataset's files.
func receiptPath(dir, name string) string { return filepath.Join(dir, ".ansatz", name+".sha256") }

// fetchFiles returns the files of a dataset with their addresses, the mirror first.
func fetchFiles(e *catalogue.Entry, mirror string) []fetch.File {
	var files []fetch.File
	for _, f := range e.Files {
		urls := f.URLs
		if mirror != "" {
			urls = append([]string{strings.TrimSuffix(mirror, "/") + "/" + f.Path}, urls...)
		}
		files = append(files, fetch.File{Path: f.Path, URLs: urls, Bytes: f.Bytes, SHA256: f.SHA256, MD5: f.MD5,
			Into: f.Into})
	}
	return files
}

// explainGet adds to the error of a download what the user can do.
func explainGet(ctx context.Context, e *catalogue.Entry, err error) error {
	if ctx.Err() != nil {
		return &CutOffError{e.Name}
	}
	return fmt.Errorf("%w\nThe page of %s is %s", err, e.Title, e.Home)
}

// Table returns a row for each file.
func (g *Gets) Table() *report.Table {
	t := &report.Table{
		Name: "files", Columns: []report.Column{
			{Name: "dataset"}, {Name: "file"}, {Name: "size"}, {Name: "checked by"}, {Name: "from"},
		},
	}
	for _, d := range g.Datasets {
		for _, f := range d.Files {
			from := f.From
			if from == "" {
				from = "was there"
			}
			t.Rows = append(t.Rows, []report.Cell{
				{Text: d.Dataset}, {Text: f.Path}, {Text: words.Bytes(f.Bytes)}, {Text: f.Checked}, {Text: from},
			})
		}
	}
	return t
}

// Summary says what was downloaded and what to do next.
func (g *Gets) Summary() string {
	var all []string
	for _, d := range g.Datasets {
		text := fmt.Sprintf("%s: %s in %s, listed in %s. Next: ansatz data check %s", d.Dataset, words.Count(d.Laid, "file"), d.Dir,
			d.Receipt, d.Dataset)
		if d.ByHand != "" {
			text += "\nLeft to do by hand: " + d.ByHand
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n")
}
