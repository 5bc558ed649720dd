package datasets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/catalogue"
	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/train"
)

// The record of a training and `ansatz data check` have the same digest of the images as [data.Describe].
func TestRecordsTellTheDigestOfTheDataset(t *testing.T) {
	set, err := data.Open("glyphs", data.Options{Split: "train", Count: 300, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	info, err := data.Describe(set)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := train.NewTraining(t.Context(),
		train.Spec{Arch: "lenet", Data: "glyphs", Train: 300, Test: 20, Epochs: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if tr.Conventions().DataSHA256 != info.SHA256 {
		t.Errorf("a training tells the digest %s, the dataset has %s", tr.Conventions().DataSHA256, info.SHA256)
	}
	check, err := NewInspection(CheckSpec{Data: "glyphs", Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Run(t.Context()); err != nil || !check.OK || check.Splits[0].SHA256 == "" {
		t.Fatalf("%v, %+v", err, check)
	}
	whole, err := data.Open("glyphs", data.Options{Split: "train", Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if info, err = data.Describe(whole); err != nil || check.Splits[0].SHA256 != info.SHA256 ||
		check.Splits[0].Images != info.Images {
		t.Errorf("%v: checked %+v, the dataset is %+v", err, check.Splits[0], info)
	}
	if n, err := data.Measure(whole, 0); err != nil || n.Mean[0] != check.Splits[0].Mean[0] ||
		n.Std[0] != check.Splits[0].Std[0] {
		t.Errorf("%v: measured %+v, checked %v and %v", err, n, check.Splits[0].Mean, check.Splits[0].Std)
	}
}

// The normalisation constants of a dataset are measured on images of the size that the network reads.
func TestNormalisationIsOfTheSizeThatIsRead(t *testing.T) {
	a, err := input.LookupArchitecture("lenet")
	if err != nil {
		t.Fatal(err)
	}
	spec := input.DataSpec{Data: "deadleaves", Size: 16, Count: 50, Normalise: "dataset"}
	src, err := input.Open(spec, a)
	if err != nil {
		t.Fatal(err)
	}
	n, err := src.Normalisation(spec, a)
	if err != nil {
		t.Fatal(err)
	}
	train, err := data.Open("deadleaves", data.Options{Split: "train", Size: 16})
	if err != nil {
		t.Fatal(err)
	}
	if want, err := data.Measure(train, 0); err != nil || want.String() != n.String() {
		t.Errorf("%v: the constants are %v, of the images that are read %v", err, n, want)
	}
}

func TestCheckDatasetEnds(t *testing.T) {
	check, err := NewInspection(CheckSpec{Data: "deadleaves"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	check.spec.Progress = func(string, int, int) { cancel() }
	if err := check.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// The catalogue lists exactly the polynomials that exist, and so does the error for an unknown one.
func TestPolynomialsAreListed(t *testing.T) {
	e, _ := catalogue.Find(input.Polynomials)
	var names []string
	for _, p := range table.Polynomials() {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, e.Variants) {
		t.Errorf("the catalogue lists %q, there are %q", e.Variants, names)
	}
	for _, name := range []string{"polynomial", "polynomial:", "polynomial:cubic"} {
		if _, err := CheckTable(CheckSpec{Data: name}); !input.IsError(err) ||
			!strings.Contains(err.Error(), "polynomial:hermite") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The check compares a variant of a dataset with the number of images that were published.
func TestCheckKnowsVariants(t *testing.T) {
	for name, published := range map[string]int{
		"cifar100": 50000, "cifar100:coarse": 50000, "svhn:extra": 73257 + 531131,
	} {
		c, err := NewInspection(CheckSpec{Data: name, Dir: "../../data/testdata/sets"})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Run(t.Context()); err != nil || c.OK || c.Splits[0].Published != published {
			t.Errorf("%s: %v, %+v", name, err, c.Splits[0])
		}
	}
}

// If a split cannot be opened, the check says why, and still reads the other splits.
func TestCheckTellsWhy(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../data/testdata/sets/svhn")); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "train_32x32.mat"), 1000); err != nil {
		t.Fatal(err)
	}
	c, err := NewInspection(CheckSpec{Data: "svhn", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Run(t.Context()); err != nil || c.OK || !strings.Contains(c.Splits[0].Problem, "at byte 1000") ||
		c.Splits[0].Images != 0 || c.Splits[1].Images == 0 {
		t.Errorf("%v, %+v", err, c.Splits)
	}
}

// Rows without a target are counted and left out of the matrix, as in a fit.
func TestCheckTableUnlabelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("a,b,y\n1,1,u\n2,2,v\n3,3,u\nTotal,,\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := CheckTable(CheckSpec{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	const want = ": 4 rows, 2 columns that become 5 features, classification of y (u 2, v 1); 1 row without a target left out."
	if !strings.HasSuffix(c.Summary(), want) || c.Columns[2].Missing != 1 {
		t.Errorf("%s", c.Summary())
	}
}

// A check leaves out the columns that a fit leaves out, and says why a fit would refuse the table.
func TestCheckTableAsAFit(t *testing.T) {
	text, huge, same := "name,k,a,y\n", "a,y\n", "a,y\n"
	for i := range 20 {
		text += fmt.Sprintf("n%d,5,%d,%d\n", i, i*i%7, i%3)
		huge += fmt.Sprintf("%d,%de299\n", i*i%7, i%3)
		same += fmt.Sprintf("%d,yes\n", i*i%7)
	}
	for text, want := range map[string]string{
		text: "1 column that become 1 feature, regression of y; left out: name (20 different texts in 20 rows), k (one value).",
		same: `(yes 20); a fit would refuse it: the target y has one class, "yes": there is nothing to learn.`,
		huge: "regression of y; a fit would refuse it: y has numbers up to 2e+299, of which there is no variance",
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if c, err := CheckTable(CheckSpec{Data: path}); err != nil || !strings.Contains(c.Summary(), want) {
			t.Errorf("want %s: %v, %v", want, c, err)
		}
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	const want = "; a fit would refuse it: t: the target name has 20 different texts in 20 rows"
	if c, err := CheckTable(CheckSpec{Data: path, Target: "name"}); err != nil || !strings.Contains(c.Summary(), want) {
		t.Errorf("%v, %v", c, err)
	}
}

// The check reads the images of a folder at their own size if they all have the same, as networks do. Otherwise it
// scales them.
func TestCheckImagesOfOneSize(t *testing.T) {
	dir := t.TempDir()
	for i, want := range []string{"3×1×2", "3×224×224"} {
		text := fmt.Sprintf("P5 %d 1 255\n%s", 2+i, "\x01\x02\x03"[:2+i])
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".pgm")), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := NewInspection(CheckSpec{Data: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Run(t.Context()); err != nil || c.Splits[0].Shape != want {
			t.Errorf("%v, %+v, want %s", err, c.Splits[0], want)
		}
	}
}
