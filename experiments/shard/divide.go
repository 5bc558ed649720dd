package shard

import (
	"cmp"
	"slices"
)

// divide puts units into so many shards, those that take long first, each into the
// shard that has the least to do. Units of which the time is not known count as
// those that take longest of the others.
func divide(units []Unit, shards int) [][]int {
	unknown := 1.
	for _, u := range units {
		unknown = max(unknown, u.Seconds)
	}
	takes := func(i int) float64 { return cmp.Or(max(0, units[i].Seconds), unknown) }
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(takes(b), takes(a)) })
	all, load := make([][]int, shards), make([]float64, shards)
	for _, i := range order {
		least := 0
		for s := range all {
			if load[s] < load[least] {
				least = s
			}
		}
		all[least] = append(all[least], i)
		load[least] += takes(i)
	}
	for s := range all {
		slices.Sort(all[s])
	}
	return all
}

// What Shards aims at: shards that are worth their start, enough of them for a few
// machines, and fewer than schedulers take.
const (
	shardSeconds = 30 * 60
	fewShards    = 16
	mostShards   = 1000
)

// Shards is a number of shards that suits units: of about half an hour each, or, of
// little work, up to 16.
func Shards(units []Unit) int {
	seconds := 0.
	for _, u := range units {
		seconds += u.Seconds
	}
	n := max(int(min(seconds/shardSeconds, mostShards))+1, fewShards)
	return max(1, min(n, mostShards, len(units)))
}
