package catalogue

import (
	"cmp"
	"slices"
)

// All returns every dataset: images, then tables, then generated ones, each by name. The caller owns the result.
func All() []Entry {
	all := slices.Concat(digits(), tiny(), pictures(), tables(), generated())
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(
			cmp.Compare(a.Kind.order(), b.Kind.order()),
			cmp.Compare(a.Name, b.Name))
	})
	return all
}

// Find returns the dataset of that name, without arguments, and whether there is one.
func Find(name string) (Entry, bool) {
	all := All()
	i := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return all[i], true
}

// Split returns the split that package data opens under that name, and whether
// it is known. The test split of a set without one is its validation split.
func (e *Entry) Split(name string) (Split, bool) { return find(e.Splits, name) }

// SplitOf is Split of a variant; "" is the set itself.
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

// order is the place of a kind in the catalogue.
func (k Kind) order() int {
	return slices.Index([]Kind{Images, Tables, Generated}, k)
}

// known is a file whose size and SHA-256 are published, to be unpacked into a folder, or left as it is if that is "".
func known(path, into string, bytes int64, sha256 string, urls ...string) File {
	return File{Path: path, Into: into, Bytes: bytes, SHA256: sha256, URLs: urls}
}

// trainTest is the splits of a set that has just those.
func trainTest(train, test int) []Split {
	return []Split{{Name: "train", Size: train}, {Name: "test", Size: test}}
}

// trainValidationTest is the splits of a set that has those three.
func trainValidationTest(train, validation, test int) []Split {
	return []Split{{Name: "train", Size: train}, {Name: "validation", Size: validation}, {Name: "test", Size: test}}
}
