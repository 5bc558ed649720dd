package pickle

import (
	"slices"

	"github.com/nlpodyssey/gopickle/types"
)

// An Entry is a key and a value of a dict.
type Entry = types.DictEntry

// An orderedDict is a dict that may begin with the pairs it was created from.
type orderedDict struct {
	pairs any
	items types.Dict
}

// Set adds an entry.
func (d *orderedDict) Set(key, value any) { d.items.Set(key, value) }

// newOrderedDict returns an OrderedDict: an empty one, or one of the list of pairs that Python 2 writes. It does not
// copy the pairs, since a hostile pickle could cause that without end.
func newOrderedDict(args []any) any {
	d := new(orderedDict)
	if len(args) > 0 {
		d.pairs = args[0]
	}
	return d
}

// IsDict reports whether v is a Python dict.
func IsDict(v any) bool {
	switch v.(type) {
	case *types.Dict, *orderedDict:
		return true
	}
	return false
}

// IsEmptyDict reports whether v is a Python dict without an entry.
func IsEmptyDict(v any) bool {
	switch d := v.(type) {
	case *types.Dict:
		return len(*d) == 0
	case *orderedDict:
		return len(d.items) == 0 && d.pairs == nil
	}
	return false
}

// Entries returns the entries of a Python dict in order, and whether v is a dict. A string that occurs as a key
// several times has one entry, with its last value. Entries copies the entries.
func Entries(v any) (all []Entry, ok bool) {
	switch d := v.(type) {
	case *types.Dict:
		return unique(slices.Clone(*d)), true
	case *orderedDict:
		return unique(slices.Concat(pairs(d.pairs), d.items)), true
	}
	return nil, false
}

// pairs returns the entries in a list of lists or tuples of two. It skips other items, which Python would reject.
func pairs(v any) (all []Entry) {
	items, _ := Sequence(v)
	for _, item := range items {
		if pair, ok := Sequence(item); ok && len(pair) == 2 {
			all = append(all, Entry{Key: pair[0], Value: pair[1]})
		}
	}
	return all
}

// unique keeps every string key once, at its first position with its last value.
func unique(all []Entry) []Entry {
	at := make(map[string]int, len(all))
	kept := all[:0]
	for _, e := range all {
		if name, ok := e.Key.(string); ok {
			if i, again := at[name]; again {
				kept[i].Value = e.Value
				continue
			}
			at[name] = len(kept)
		}
		kept = append(kept, e)
	}
	return kept
}
