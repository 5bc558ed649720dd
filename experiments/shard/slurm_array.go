package shard

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Array is numbers, which ascend, as sbatch --array takes them, 2,5-7, with a limit of
// tasks that run at once unless that is 0.
func Array(numbers []int, most int) string {
	var runs []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if j == i {
			runs = append(runs, fmt.Sprint(numbers[i]))
		} else {
			runs = append(runs, fmt.Sprintf("%d-%d", numbers[i], numbers[j]))
		}
		i = j + 1
	}
	s := strings.Join(runs, ",")
	if most > 0 {
		s += fmt.Sprintf("%%%d", most)
	}
	return s
}

// UsualArraySize is the limit of Slurm where it is not told otherwise: numbers of
// tasks lie below it.
const UsualArraySize = 1001

// CheckArray refuses shards whose numbers an array of Slurm's cannot have.
func CheckArray(shards []int, size int) error {
	if highest := slices.Max(shards); highest >= size {
		return inputError("shard %d: this Slurm takes arrays with numbers up to %d (MaxArraySize): plan anew with at most %d --shards", highest, size-1, size-1)
	}
	return nil
}

// Memory is what a task of the plan is asked memory for, as sbatch takes it: half more
// than the largest unit is expected to take, of which 30 % may be missing, and 256 MiB.
// It is "" where that is not known.
func (p *Plan) Memory() string {
	most := 0.
	for _, u := range p.Units {
		if !(u.Bytes > 0 && u.Bytes < 1<<60) {
			return ""
		}
		most = max(most, u.Bytes)
	}
	return megabytes(most)
}

// MergeMemory is what the job that merges is asked memory for, not less than a task;
// "" where that of a task is not known.
func (p *Plan) MergeMemory() string {
	task := p.Memory()
	if task == "" || !(p.MergeBytes < 1<<60) {
		return ""
	}
	most := p.MergeBytes
	for _, u := range p.Units {
		most = max(most, u.Bytes)
	}
	return megabytes(most)
}

func megabytes(bytes float64) string { return fmt.Sprintf("%.0fM", math.Ceil(1.5*bytes/(1<<20))+256) }
