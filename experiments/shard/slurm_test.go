package shard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const wantTasks = `#!/bin/bash
# A shard of the plan in /a b/50% "x", that of the task's number. Written by ansatz submit.
#SBATCH --job-name=mine
#SBATCH --output="/a b/50%% \"x\"/slurm/logs/%A_%a.out"
#SBATCH --partition=long
#SBATCH --account=me
#SBATCH --qos=high
#SBATCH --constraint=avx512&ib
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --gres=gpu:1
#SBATCH --time=1-12:00:00
#SBATCH --mem=4G
#SBATCH --cpus-per-task=3
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
trap ansatz_time_over=1 USR1 # while the setup runs; bash would end
module load openblas
trap '' USR1 # until the program waits for it
exec ansatz run ${ansatz_time_over:+--over}
`

const wantMerge = `#!/bin/bash
# Merges what the shards of the plan in /a b/50% "x" made. Written by ansatz submit.
#SBATCH --job-name=mine-merge
#SBATCH --output="/a b/50%% \"x\"/slurm/logs/merge-%j.out"
#SBATCH --partition=long
#SBATCH --account=me
#SBATCH --qos=high
#SBATCH --constraint=avx512&ib
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --time=0-01:00:00
#SBATCH --mem=4G
#SBATCH --cpus-per-task=1
module load openblas
exec ansatz merge
`

func TestScripts(t *testing.T) {
	s := Slurm{
		Name: "mine", Partition: "long", Account: "me", QOS: "high", Constraint: "avx512&ib", Gres: "gpu:1",
		Time:   Limit(36 * time.Hour),
		Memory: "4G", CPUs: 3, Most: 5, Signal: 120, Setup: []string{"module load openblas"}, MergeCPUs: 1,
	}
	out := `/a b/50% "x"`
	if err := s.Check(out); err != nil {
		t.Fatal(err)
	}
	if got := s.Tasks(out, "ansatz run", "--over"); got != wantTasks {
		t.Errorf("%s\nwant %s", got, wantTasks)
	}
	if got := s.Merge(out, "ansatz merge"); got != wantMerge {
		t.Errorf("%s\nwant %s", got, wantMerge)
	}
	// Options that are not set are left to the cluster.
	bare := "#!/bin/bash\n# A shard of the plan in /o, that of the task's number. Written by ansatz submit.\n" +
		"#SBATCH --job-name=ansatz\n" +
		"#SBATCH --output=/o/slurm/logs/%A_%a.out\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --requeue\n" +
		"#SBATCH --open-mode=append\ntrap ansatz_time_over=1 USR1 # while the setup runs; bash would end\n" +
		"trap '' USR1 # until the program waits for it\nexec x ${ansatz_time_over:+--over}\n"
	if got := (Slurm{}).Tasks("/o", "x", "--over"); got != bare {
		t.Errorf("%s\nwant %s", got, bare)
	}
	short, own := s, s
	short.Time, own.MergeTime, own.MergeMemory = Limit(20*time.Minute), Limit(2*time.Hour), "1G"
	for want, s := range map[string]Slurm{"--time=0-00:20:00\n": short, "--time=0-02:00:00\n#SBATCH --mem=1G\n": own} {
		if got := s.Merge(out, "x"); !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
}

func TestSlurmCheck(t *testing.T) {
	for _, c := range []struct {
		s   Slurm
		out string
	}{
		{Slurm{Partition: "a\n#SBATCH --uid=0"}, "/o"}, {Slurm{Setup: []string{"a\nb"}}, "/o"}, {Slurm{}, "/o\n"},
		{Slurm{}, `/o\p`},
		{Slurm{CPUs: -1}, "/o"}, {Slurm{Most: -1}, "/o"}, {Slurm{Signal: -1}, "/o"},
		{Slurm{Signal: 60, Time: Limit(time.Minute)}, "/o"},
		{Slurm{Args: []string{"job.sh"}}, "/o"}, {Slurm{Args: []string{"--array=1-9"}}, "/o"},
		{Slurm{Args: []string{"-dafterok:1"}}, "/o"}, {Slurm{Args: []string{"--wrap=x"}}, "/o"},
	} {
		if err := c.s.Check(c.out); !isInput(err) {
			t.Errorf("%+v in %q: %v", c.s, c.out, err)
		}
	}
	for limit, want := range map[time.Duration]int{0: 120, time.Hour: 120, 4 * time.Minute: 60, time.Second: 0} {
		if got := SignalBefore(Limit(limit)); got != want {
			t.Errorf("%v: %d, want %d", limit, got, want)
		}
	}
}

// TestArray checks for all subsets of 1 to 10 that the numbers can be read from the text of their array, and that the
// size of an array is limited.
func TestArray(t *testing.T) {
	if got := Array([]int{2, 5, 6, 7, 9, 10}, 4); got != "2,5-7,9-10%4" {
		t.Error(got)
	}
	for bits := 1; bits < 1<<10; bits++ {
		var numbers, back []int
		for i := range 10 {
			if bits>>i&1 == 1 {
				numbers = append(numbers, i+1)
			}
		}
		text := Array(numbers, 0)
		for run := range strings.SplitSeq(text, ",") {
			first, last, is := strings.Cut(run, "-")
			if !is {
				last = first
			}
			from, err := strconv.Atoi(first)
			to, err2 := strconv.Atoi(last)
			if err != nil || err2 != nil {
				t.Fatal(text)
			}
			for i := from; i <= to; i++ {
				back = append(back, i)
			}
		}
		if !slices.Equal(numbers, back) {
			t.Errorf("%v became %s", numbers, text)
		}
	}
	if err := CheckArray([]int{1, 1000}, UsualArraySize); err != nil {
		t.Error(err)
	}
	if err := CheckArray([]int{1, 1001}, UsualArraySize); !isInput(err) ||
		!strings.Contains(err.Error(), "at most 1000 --shards") {
		t.Error(err)
	}
}

func TestPlanMemory(t *testing.T) {
	p := &Plan{Units: []Unit{{Bytes: 100 << 20}, {Bytes: 400 << 20}}}
	if got := p.Memory(); got != "856M" {
		t.Error(got)
	}
	p.Units = append(p.Units, Unit{})
	if got := p.Memory(); got != "" {
		t.Errorf("%s of a unit of which it is not known", got)
	}
}

func TestAnswers(t *testing.T) {
	for text, want := range map[string]string{"123\n": "123", "123;east\n": "123", "Welcome!\nlimits: 5\n77\n": "77",
		"Submitted batch job 9": "9"} {
		if got, err := JobID(text); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "0", "-1", "1 2", "99999999999", "007"} {
		if got, err := JobID(text); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
	got := ParseQueue("12|3|RUNNING|None|/o/job.sh x\nslurm_load_jobs error\n12|4|PENDING|Why|/a|b c\n" +
		"13|N/A|FAILED|NonZeroExitCode|\n\n||||\n")
	want := []Task{{"12", 3, "RUNNING", "None", "/o/job.sh x"}, {"12", 4, "PENDING", "Why", "/a|b c"},
		{"13", 0, "FAILED", "NonZeroExitCode", ""}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if !got[0].Active() || !got[1].Active() || got[2].Active() || got[1].String() != "pending (Why)" ||
		got[2].String() != "failed" {
		t.Errorf("%v", got)
	}
	for text, want := range map[string]int{"": UsualArraySize, "MaxArraySize            = 5\nX = 1": 5,
		"MaxArraySize = many": UsualArraySize} {
		if got := ArraySize(text); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestAddTasks(t *testing.T) {
	p, out := made(t)
	shard, err := p.Shard(2)
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(LogFolder(out), "12_2.out")
	if err := errors.Join(os.RemoveAll(folder(out).unit(shard[0].ID)), WriteScripts(out, "a", "b"),
		os.WriteFile(log, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	sub := &Submission{Job: "12", Merge: "13", Shards: []int{1, 2}}
	s := StatusOf(p, out)
	s.AddTasks(sub, []Task{{"12", 1, "RUNNING", "", ""}, {"11", 2, "RUNNING", "", ""}, {"12", 2, "TIMEOUT", "", ""},
		{"13", 0, "PENDING", "Dependency", ""}}, out)
	if s.Job != "12" || s.Active != 3 || s.Shards[0].Task != "" || s.Shards[1].Task != "timeout" ||
		s.Shards[1].Log != log || s.Shards[2].Task != "" {
		t.Errorf("%+v", s)
	}
	s = StatusOf(p, out)
	if s.AddTasks(sub, nil, out); s.Active != 0 || s.Shards[1].Task != "not in the queue" {
		t.Errorf("%+v", s)
	}
}

// AddMarked finds the jobs of a submission by its mark, and no others.
func TestAddMarked(t *testing.T) {
	queue := ParseQueue("7|1|RUNNING|None|/o/slurm/job.sh ansatz-X\n8|2|PENDING|None|/o d/slurm/job.sh ansatz-M\n" +
		"8|1|RUNNING|None|/o d/slurm/job.sh ansatz-M\n9|N/A|PENDING|Dependency|/o d/slurm/merge.sh ansatz-M\n" +
		"10|N/A|PENDING|None|ansatz-M\n11|N/A|PENDING|None|\n")
	for _, c := range []struct{ before, after Submission }{
		{Submission{Mark: "ansatz-M"}, Submission{Mark: "ansatz-M", Job: "8", Merge: "9"}},
		{Submission{Mark: "ansatz-M", Job: "8"}, Submission{Mark: "ansatz-M", Job: "8", Merge: "9"}},
		{Submission{Mark: "ansatz-Y"}, Submission{Mark: "ansatz-Y"}}, {Submission{}, Submission{}},
	} {
		if !c.before.HasUnknownJobs() && c.before.Mark != "" || c.after.HasUnknownJobs() && c.after.Merge != "" {
			t.Errorf("%+v", c)
		}
		if c.before.AddMarked(queue); !reflect.DeepEqual(c.before, c.after) {
			t.Errorf("%+v, want %+v", c.before, c.after)
		}
	}
}

func FuzzSlurmAnswers(f *testing.F) {
	for _, s := range []string{"123\n", "123;east", "12|3|RUNNING|None|a\n13|N/A|FAILED|x|b", "MaxArraySize = 1001",
		"2-03:04:05", "90m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if id, err := JobID(text); err == nil && fmt.Sprint(mustAtoi(t, id)) != id {
			t.Errorf("job %q", id)
		}
		for _, task := range ParseQueue(text) {
			if task.Shard < 0 || mustAtoi(t, task.Job) < 1 {
				t.Errorf("%+v", task)
			}
		}
		if ArraySize(text) < 0 {
			t.Error("an array of a negative size")
		}
		var l, back Limit
		if l.Set(text) == nil && (l <= 0 || back.Set(l.String()) != nil || back.String() != l.String()) {
			t.Errorf("%q: %v, %v", text, l, back)
		}
	})
}

func mustAtoi(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
