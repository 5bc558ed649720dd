// Package catalogue lists the datasets of the five papers: what they contain, who publishes them under what licence, and
// where to get them. [All] returns an [Entry] for every dataset, and [Find] the entry of one. Package data reads the
// datasets, and package fetch downloads them.
//
// Sizes and digests come from public records, which comments name: most from TensorFlow Datasets
// (github.com/tensorflow/datasets, "tfds" in the comments) and from torchvision (github.com/pytorch/vision,
// "torchvision").
package catalogue

// Entry describes a dataset, without its files.
type Entry struct {
	Name    string   // as data.Open accepts it, such as "emnist"
	Title   string   // the publisher's name, such as "EMNIST"
	Papers  []string // the papers that use it: cnfa, rfm, hyperbf, energy, ntk; may be empty
	Kind    Kind
	Shape   string  // of an image: "3×32×32", or "3×?×?" if sizes differ; "" for tables
	Classes int     // 0 if there are none, or their number depends on the variant
	Splits  []Split // as published, in the order train, validation, test, others

	// Of holds the splits of variants whose images are not those of the set itself; nil splits are of unknown size.
	Of map[string][]Split

	// Variants are the words that may follow the name and a colon, such as
	// "letters" in "emnist:letters"; the default is first if it has a word.
	Variants []string

	// Licence is a short note of the publisher's terms, such as "CC BY 4.0" or
	// "non-commercial research only"; "" for generated sets.
	Licence string
	Home    string // the publisher's page; "" for generated sets

	// Files are the files that `ansatz data get` downloads; empty for generated sets and sets to get by hand.
	Files []File

	// ByHand says what the user must do by hand: how to get a set behind a form or a login, and where to put its files,
	// or what to unpack after the download of Files. "" if nothing is left to do.
	ByHand string

	Note string // further remarks for users; may be empty
}

// Kind says whether a dataset has images or tables, or is generated.
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
	Size int    // the number of images or rows

	// SHA256 is the digest of its labels and pixels, as data.Describe returns it; "" if it has not been computed from
	// files that are known to be the published ones.
	SHA256 string
}

// File is a file to download.
type File struct {
	Path   string   // the destination, slash-separated, relative to the data folder
	URLs   []string // the publisher's address first, then mirrors
	Bytes  int64    // the size; 0 if unknown
	SHA256 string   // in hexadecimal; "" if unknown
	MD5    string   // in hexadecimal, if the publisher gives only that; else ""
	Into   string   // the folder to unpack it into, relative to the data folder, which is "."; "" leaves it packed
}

// Bytes returns the number of bytes to download; files of unknown size count as 0.
func (e *Entry) Bytes() int64 {
	var n int64
	for _, f := range e.Files {
		n += f.Bytes
	}
	return n
}
