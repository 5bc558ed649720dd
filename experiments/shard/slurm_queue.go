package shard

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// JobID returns the number of a job from the output of sbatch --parsable, NUMBER or NUMBER;CLUSTER. A cluster's
// wrapper may print other text before it.
func JobID(answer string) (string, error) {
	lines := strings.Split(strings.TrimSpace(answer), "\n")
	for _, line := range slices.Backward(lines) {
		id, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		id = strings.TrimPrefix(id, "Submitted batch job ")
		if isJobID(id) {
			return id, nil
		}
	}
	const most = 200
	return "", fmt.Errorf("sbatch answers %q: want the number of a job", answer[:min(len(answer), most)])
}

func isJobID(s string) bool {
	n, err := strconv.ParseUint(s, 10, 32)
	return err == nil && n > 0 && s[0] != '0' && s[0] != '+'
}

// Task is a task of an array, or a job, as Slurm reports it.
type Task struct {
	Job    string
	Shard  int // 0 for a job that is not an array
	State  string
	Reason string // why it is pending
	// Command is the path of the job's script with the arguments that it was submitted with.
	Command string
}

// QueueFormat is the format for squeue -r, a line for each task, that ParseQueue reads.
const QueueFormat = "%F|%K|%T|%r|%o"

// ParseQueue reads what squeue prints. It ignores other lines.
func ParseQueue(text string) []Task {
	var all []Task
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 5)
		if len(fields) < 5 || !isJobID(fields[0]) {
			continue
		}
		shard, err := strconv.ParseUint(fields[1], 10, 31)
		if err != nil {
			shard = 0
		}
		all = append(all, Task{fields[0], int(shard), fields[2], fields[3], fields[4]})
	}
	return all
}

// ended are the final states of a task.
var ended = []string{"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
	"PREEMPTED", "REVOKED", "TIMEOUT"}

// Active reports whether a task is running or will run.
func (t Task) Active() bool { return t.State != "" && !slices.Contains(ended, t.State) }

// String returns the state of a task, and why it is pending.
func (t Task) String() string {
	if t.State == "PENDING" && t.Reason != "" && t.Reason != "None" {
		return "pending (" + t.Reason + ")"
	}
	return strings.ToLower(t.State)
}

// ArraySize returns MaxArraySize from the output of scontrol show config, or Slurm's default if it is missing.
func ArraySize(config string) int {
	for line := range strings.Lines(config) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) != "MaxArraySize" {
			continue
		}
		if n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31); err == nil {
			return int(n)
		}
	}
	return UsualArraySize
}

// Array formats ascending numbers for sbatch --array, as in 2,5-7, with a limit on the tasks that run at once unless
// it is 0.
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

// UsualArraySize is Slurm's default MaxArraySize: task numbers must be smaller.
const UsualArraySize = 1001

// CheckArray returns an [*InputError] if shards have numbers that a Slurm array cannot have.
func CheckArray(shards []int, size int) error {
	if highest := slices.Max(shards); highest >= size {
		return inputError("shard %d: this Slurm takes arrays with numbers up to %d (MaxArraySize): plan anew with "+
			"at most %d --shards", highest, size-1, size-1)
	}
	return nil
}

// Memory returns the memory to request for a task of the plan, in the form of sbatch: 1.5 times the estimate of the
// largest unit, since estimates may be 30 % too low, plus 256 MiB. It is "" if there is no estimate.
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

// MergeMemory returns the memory to request for the merging job, at least that of a task; "" if a task's is unknown.
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
