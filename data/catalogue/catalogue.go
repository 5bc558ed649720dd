// Package catalogue lists the datasets of the five papers: what they are, who publishes them under what licence, and
// where to get them. [All] returns an [Entry] for every dataset, and [Find] that of one. Package data reads the
// datasets, and package fetch downloads them.
//
// Sizes and digests come from public records of them, named beside each: most from TensorFlow Datasets
// (github.com/tensorflow/datasets, "tfds" in the comments) and from torchvision (github.com/pytorch/vision,
// "torchvision").
package catalogue

// Entry describes a dataset, without its files.
type Entry struct {
	Name    string   // as data.Open takes it, such as "emnist"
	Title   string   // as its publisher calls it, such as "EMNIST"
	Papers  []string // that use it: cnfa, rfm, hyperbf, energy, ntk; may be empty
	Kind    Kind
	Shape   string  // of an image as "3×32×32", "3×?×?" where they differ; of a table ""
	Classes int     // 0 where there is none or it depends on the variant
	Splits  []Split // as published, in the order train, validation, test, others

	// Of are the splits of those variants that have other images than the set itself; none where nobody says how many.
	Of map[string][]Split

	// Variants are the words that may follow the name and a colon, such as
	// "letters" in "emnist:letters", the default first where it has a word.
	Variants []string

	// Licence is a short note of what the publisher states, such as "CC BY 4.0"
	// or "non-commercial research only"; "" for generated sets.
	Licence string
	Home    string // the page of its publisher; "" for generated sets

	// Files are what `ansatz data get` downloads; empty for generated sets and for those that must be got by hand.
	Files []File

	// ByHand says what is left to do by hand: how to get a set that is behind a form or a login and into which folder
	// to put what files, or what to unpack after Files are there. "" where Files has all.
	ByHand string

	Note string // what else a user should know; may be empty
}

// Kind is what a dataset is made of.
type Kind string

// The kinds of datasets.
const (
	Images    Kind = "images"
	Tables    Kind = "tables"
	Generated Kind = "generated"
)

// Split is a part of a dataset.
type Split struct {
	Name string // "train", "test", "validation", or the publisher's own
	Size int    // images or rows

	// SHA256 is the digest of its labels and pixels, as data.Describe gives it; "" where nobody has measured it on
	// files that are known to be the published ones.
	SHA256 string
}

// File is a file to download.
type File struct {
	Path   string   // where it goes, slash-separated, relative to the data folder
	URLs   []string // the publisher's first, then mirrors
	Bytes  int64    // 0 when not known
	SHA256 string   // in hexadecimal; "" when not known
	MD5    string   // where the publisher gives only that; "" otherwise
	Into   string   // the folder to unpack it into, relative to the data folder, which is "."; "" leaves it as it is
}

// Bytes returns how much there is to download, as far as it is known.
func (e *Entry) Bytes() int64 {
	var n int64
	for _, f := range e.Files {
		n += f.Bytes
	}
	return n
}
