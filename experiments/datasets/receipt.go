package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/catalogue"
	"github.com/ansatz-lab/ansatz/data/fetch"
)

// ReceiptCheck says whether the downloaded files are unchanged.
type ReceiptCheck struct {
	OK       bool     `json:"ok"`
	Files    int      `json:"files"` // number of downloaded files
	Problems []string `json:"problems,omitempty"`
}

// mostProblems is the largest number of problems in a record.
const mostProblems = 20

// checkReceipt compares the files of a dataset with the list that `ansatz data get` wrote. It returns
// nil if there is no list.
func checkReceipt(ctx context.Context, s CheckSpec) (*ReceiptCheck, error) {
	dir, err := data.Folder(s.Dir)
	if err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(s.Data, ":")
	if _, known := catalogue.Find(name); !known {
		return nil, nil
	}
	receipt, err := fetch.ReadReceipt(receiptPath(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := fetch.Verify(ctx, dir, receipt, func(_ string, done, total int64) {
		if s.Progress != nil {
			s.Progress("checking", int(done), int(total))
		}
	})
	if err != nil {
		return nil, err
	}
	c := &ReceiptCheck{OK: len(found) == 0}
	c.Files, _ = receipt.Files()
	for _, p := range found[:min(len(found), mostProblems)] {
		c.Problems = append(c.Problems, p.String())
	}
	if more := len(found) - mostProblems; more > 0 {
		c.Problems = append(c.Problems, fmt.Sprintf("and %d more", more))
	}
	return c, nil
}

// ok reports whether no file differs from the list. It is true if there is no list.
func (c *ReceiptCheck) ok() bool { return c == nil || c.OK }

// verdict says in a sentence whether a dataset is complete and unchanged; ok is the result of its other checks.
func (c *ReceiptCheck) verdict(name string, ok bool) string {
	switch {
	case !c.ok():
		return name + " has changed since the download: " + strings.Join(c.Problems, "; ")
	case !ok:
		return name + " is not as it should be: see the column found."
	case c != nil:
		return fmt.Sprintf("%s is complete: the %d downloaded files are unchanged.", name, c.Files)
	}
	return name + " was read whole."
}
