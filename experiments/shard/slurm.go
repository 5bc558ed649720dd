package shard

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// Slurm holds the options of Slurm jobs for a plan: an array of tasks, each of which makes a shard, and a job after
// them that merges. Zero fields are left to the cluster's defaults.
type Slurm struct {
	Name                                      string // of the job; ansatz if it is ""
	Partition, Account, QOS, Constraint, Gres string
	Time                                      Limit
	Memory                                    string // of a task, in the form of sbatch
	CPUs                                      int    // of a task
	Most                                      int    // tasks that run at once
	// Signal is how many seconds before its time limit a task is told to save and to be requeued; 0 means never.
	Signal int
	Setup  []string // lines of the shell before the program
	Args   []string // further arguments of sbatch, which override all others
	// Options of the merging job. By default it has the tasks' memory, and no generic resources.
	MergeTime   Limit
	MergeMemory string
	MergeGres   string
	MergeCPUs   int
}

// mergeTime is the time limit of merging if the tasks have a larger one.
const mergeTime = Limit(time.Hour)

// SignalBefore returns how many seconds before its time limit a task is told to save: two minutes, or a quarter of a
// short limit.
func SignalBefore(limit Limit) int {
	const usual = 120
	if limit == 0 {
		return usual
	}
	return min(usual, int(time.Duration(limit)/time.Second/4))
}

// Check returns an [*InputError] if a value is invalid or cannot be written into a script, or if Slurm cannot write
// logs to the folder's path.
func (s Slurm) Check(out string) error {
	for _, v := range append([]string{s.Name, s.Partition, s.Account, s.QOS, s.Constraint, s.Gres, s.Memory,
		s.MergeMemory, s.MergeGres, out}, append(s.Setup, s.Args...)...) {
		if strings.ContainsAny(v, "\n\r\x00") {
			return inputError("%q: options and paths in a Slurm script must be one line", v)
		}
	}
	if strings.Contains(out, `\`) {
		return inputError("--out %s: Slurm takes no logs to a path with a backslash: give another folder", out)
	}
	if s.CPUs < 0 || s.Most < 0 || s.Signal < 0 {
		return inputError("--cpus %d, --limit %d, --signal %d: want no numbers below 0", s.CPUs, s.Most, s.Signal)
	}
	if s.Time > 0 && time.Duration(s.Signal)*time.Second >= time.Duration(s.Time) {
		return inputError("--signal %d: a task of --time %v would have to save as soon as it begins; give it "+
			"more time", s.Signal, s.Time)
	}
	return checkArgs(s.Args)
}

// checkArgs returns an error for arguments of sbatch that would change what the jobs do.
func checkArgs(args []string) error {
	ours := map[string]bool{"-a": true, "--array": true, "-d": true, "--dependency": true, "--wrap": true, "-W": true,
		"--wait": true, "-h": true, "--help": true, "--test-only": true, "--parsable": true}
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		if !strings.HasPrefix(arg, "--") {
			name = arg[:min(2, len(arg))] // its value may follow without a space
		}
		if len(arg) < 2 || arg[0] != '-' || ours[name] {
			return inputError("--sbatch-arg %q: want an option as --mail-type=FAIL, and not one that ansatz "+
				"gives: --array, --dependency, --wrap, --wait, --parsable", arg)
		}
	}
	return nil
}

// LogFolder returns the folder of the jobs' output. Slurm does not create it.
func LogFolder(out string) string { return filepath.Join(out, "slurm", "logs") }

// TaskScript returns the path of the tasks' script.
func TaskScript(out string) string { return filepath.Join(out, "slurm", "job.sh") }

// MergeScript returns the path of the merging job's script.
func MergeScript(out string) string { return filepath.Join(out, "slurm", "merge.sh") }

// Tasks returns the script of the array. It ends in command, a line of shell in which $SLURM_ARRAY_TASK_ID is the
// shard. If the signal arrives while the setup lines run, the option overOption is added to the command.
//
// The program replaces the shell (exec): Slurm sends the signal before the time limit to the shell alone (B:), and a
// shell that waited for the program would have to survive every signal and pass it on. The program asks for its own
// requeueing while its task is still running, once everything it made is complete: after the task's end the merging
// job could begin.
func (s Slurm) Tasks(out, command, overOption string) string {
	signal := ""
	if s.Signal > 0 {
		signal = fmt.Sprintf("B:USR1@%d", s.Signal)
	}
	options := append(s.options(cmp.Or(s.Name, jobName), logPattern(out, "%A_%a.out")),
		[2]string{"gres", s.Gres}, [2]string{"time", s.Time.String()}, [2]string{"mem", s.Memory},
		[2]string{"cpus-per-task", number(s.CPUs)}, [2]string{"signal", signal},
		[2]string{"requeue", "-"}, [2]string{"open-mode", "append"})
	lines := slices.Concat(
		[]string{"trap ansatz_time_over=1 USR1 # while the setup runs; bash would end"}, s.Setup,
		[]string{"trap '' USR1 # until the program waits for it",
			"exec " + command + " ${ansatz_time_over:+" + overOption + "}"})
	return script("A shard of the plan in "+out+", that of the task's number", options, lines)
}

// Merge returns the script of the job that merges after all tasks have ended, successful or not. If units are missing,
// it reports them and fails.
func (s Slurm) Merge(out, command string) string {
	limit := s.MergeTime
	if limit == 0 && s.Time > 0 { // otherwise the cluster's default, which may be shorter than mergeTime
		limit = min(s.Time, mergeTime)
	}
	options := append(s.options(cmp.Or(s.Name, jobName)+"-merge", logPattern(out, "merge-%j.out")),
		[2]string{"gres", s.MergeGres}, [2]string{"time", limit.String()}, [2]string{"mem", cmp.Or(s.MergeMemory, s.Memory)},
		[2]string{"cpus-per-task", number(s.MergeCPUs)})
	return script("Merges what the shards of the plan in "+out+" made", options,
		append(slices.Clone(s.Setup), "exec "+command))
}

// jobName is the default name of a job.
const jobName = "ansatz"

// options returns the options of both jobs with their values; options without a value are left out.
func (s Slurm) options(name, output string) [][2]string {
	return [][2]string{
		{"job-name", name}, {"output", output}, {"partition", s.Partition}, {"account", s.Account}, {"qos", s.QOS},
		{"constraint", s.Constraint}, {"nodes", "1"}, {"ntasks", "1"},
	}
}

// number formats n, and 0 as "".
func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// logPattern returns a file name for sbatch, in which percent signs of the path are doubled.
func logPattern(out, name string) string {
	return filepath.Join(strings.ReplaceAll(LogFolder(out), "%", "%%"), name)
}

// script returns a bash script. An option with the value "-" is written without one.
func script(about string, options [][2]string, lines []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/bash\n# %s. Written by ansatz submit.\n", about)
	for _, o := range options {
		switch o[1] {
		case "":
		case "-":
			fmt.Fprintf(&b, "#SBATCH --%s\n", o[0])
		default:
			fmt.Fprintf(&b, "#SBATCH --%s=%s\n", o[0], sbatchWord(o[1]))
		}
	}
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// sbatchWord quotes a value as sbatch reads it in a script, which differs from a shell.
func sbatchWord(s string) string {
	if !strings.ContainsAny(s, " \t\"'\\#") {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// WriteScripts writes the scripts of a plan, and makes the folder of their logs.
func WriteScripts(out, tasks, merge string) error {
	if err := atomicfile.MakeFolder(LogFolder(out)); err != nil {
		return err
	}
	return errors.Join(atomicfile.WriteBytes(TaskScript(out), []byte(tasks)),
		atomicfile.WriteBytes(MergeScript(out), []byte(merge)))
}
