package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ChangedSettings lists the fields, by the names of their flags, in which the
// settings of a run that is to go on differ from those it was begun with.
func ChangedSettings(now, begun any) []string {
	is, was := settingsOf(now), settingsOf(begun)
	all := maps.Clone(is)
	maps.Copy(all, was)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if is[name] != was[name] {
			list = append(list, fmt.Sprintf("--%s was %s, is %s", strings.ReplaceAll(name, "_", "-"), cmp.Or(was[name], "not given"), cmp.Or(is[name], "not given")))
		}
	}
	return list
}

// settingsOf are the fields by name, those that are zero left out.
func settingsOf(spec any) map[string]string {
	text, _ := json.Marshal(spec) // strings and numbers can always be encoded
	var raw map[string]json.RawMessage
	_ = json.Unmarshal(text, &raw)
	out := map[string]string{}
	for name, v := range raw {
		out[name] = string(v)
	}
	return out
}
