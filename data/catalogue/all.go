package catalogue

import (
	"cmp"
	"slices"
)

// All returns every dataset: images, then tables, then generated ones, each sorted by name. The caller owns the result.
func All() []Entry {
	all := slices.Concat(digits(), tiny(), pictures(), tables(), generated())
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(
			cmp.Compare(a.Kind.order(), b.Kind.order()),
			cmp.Compare(a.Name, b.Name))
	})
	return all
}

// Find returns the dataset with that name, given without arguments, and whether there is one.
func Find(name string) (Entry, bool) {
	all := All()
	i := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return all[i], true
}

// Split returns the split that package data opens under that name, and whether it is
// known. For a set without a test split, "test" is its validation split.
func (e *Entry) Split(name string) (Split, bool) { return find(e.Splits, name) }

// SplitOf is Split for a variant; "" means the set itself.
func (e *Entry) SplitOf(variant, name string) (Split, bool) {
	if splits, other := e.Of[variant]; other {
		return find(splits, name)
	}
	return e.Split(name)
}

func find(splits []Split, name string) (Split, bool) {
	for _, try := range []string{name, map[string]string{"test": "validation"}[name]} {
		for _, s := range splits {
			if s.Name == try {
				return s, true
			}
		}
	}
	return Split{}, false
}

// order returns the position of a kind in the catalogue.
func (k Kind) order() int {
	return slices.Index([]Kind{Images, Tables, Generated}, k)
}

// known returns a file whose SHA-256 and perhaps size (else 0) are published. Into is the folder to unpack it into, or "".
func known(path, into string, bytes int64, sha256 string, urls ...string) File {
	return File{Path: path, Into: into, Bytes: bytes, SHA256: sha256, URLs: urls}
}

// trainTest returns the splits of a set with a training and a test split.
func trainTest(train, test int) []Split {
	return []Split{{Name: "train", Size: train}, {Name: "test", Size: test}}
}

// trainValidationTest returns the splits of a set with all three.
func trainValidationTest(train, validation, test int) []Split {
	return []Split{{Name: "train", Size: train}, {Name: "validation", Size: validation}, {Name: "test", Size: test}}
}
