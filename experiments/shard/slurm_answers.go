package shard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// JobID finds the number of a job in what sbatch --parsable answers, NUMBER or
// NUMBER;CLUSTER, after whatever a cluster's own wrapper says first.
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

// Task is a task of an array, or a job, as Slurm sees it.
type Task struct {
	Job    string
	Shard  int // 0 of a job that is no array
	State  string
	Reason string // why it is pending
}

// QueueFormat is what squeue is to print, one line a task (-r), for ParseQueue.
const QueueFormat = "%F|%K|%T|%r"

// ParseQueue reads what squeue prints. Lines that are something else are passed over.
func ParseQueue(text string) []Task {
	var all []Task
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 4)
		if len(fields) < 4 || !isJobID(fields[0]) {
			continue
		}
		shard, err := strconv.ParseUint(fields[1], 10, 31)
		if err != nil {
			shard = 0
		}
		all = append(all, Task{fields[0], int(shard), fields[2], fields[3]})
	}
	return all
}

// ended are the states in which a task stays.
var ended = []string{"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT"}

// Active says whether a task runs, or is going to.
func (t Task) Active() bool { return t.State != "" && !slices.Contains(ended, t.State) }

// String is its state, and why it is pending.
func (t Task) String() string {
	if t.State == "PENDING" && t.Reason != "" && t.Reason != "None" {
		return "pending (" + t.Reason + ")"
	}
	return strings.ToLower(t.State)
}

// ArraySize finds MaxArraySize in what scontrol show config prints; the usual one if
// it is not there.
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
