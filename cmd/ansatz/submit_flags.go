package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The engines that make shards.
const (
	localEngine = "local"
	slurmEngine = "slurm"
)

// submitFlags are the flags of the commands submit and resume.
type submitFlags struct {
	engine        string
	jobs          int
	slurm         shard.Slurm
	force, dryRun bool
	options       *pflag.FlagSet // those that submission.json records, for resume
}

// dataDirOption is the key of the flag --data-dir in a submission.
const dataDirOption = "data-dir"

// add adds the flags to a command.
func (f *submitFlags) add(c *cobra.Command) {
	s, o := &f.slurm, pflag.NewFlagSet("options", pflag.ContinueOnError)
	o.IntVar(&f.jobs, "jobs", 0, "local: shards to run at once (default: cores, divided by the plan's threads)")
	o.Var(&s.Time, "time", "time limit of a shard: 90m, 36h, or in Slurm's format")
	o.StringVar(&s.Partition, "partition", "", "slurm: partition")
	o.StringVar(&s.Account, "account", "", "slurm: account")
	o.StringVar(&s.QOS, "qos", "", "slurm: quality of service")
	o.StringVar(&s.Constraint, "constraint", "", "slurm: features of nodes")
	o.StringVar(&s.Gres, "gres", "", "slurm: generic resources of a task (default: gpu:1 for a plan of the backend gpu)")
	o.StringVar(&s.Memory, "mem", "", "slurm: memory of a task (default: by the plan's estimate, if there is one)")
	o.IntVar(&s.CPUs, "cpus", 0, "slurm: CPUs of a task (default: the plan's threads)")
	o.IntVar(&s.Most, "limit", 0, "slurm: tasks that run at once (default: no limit)")
	o.IntVar(&s.Signal, "signal", 0, "slurm: seconds before the end of --time at which a task saves and is requeued; "+
		"0 is never (default: 120, or a quarter of a short time)")
	o.StringArrayVar(&s.Setup, "setup", nil, "slurm: line of shell to run before the program, such as 'module load "+
		"openblas'; may be repeated")
	o.StringArrayVar(&s.Args, "sbatch-arg", nil, "slurm: another argument of sbatch, such as --mail-type=FAIL; may be "+
		"repeated")
	o.StringVar(&s.Name, "job-name", "", "slurm: name of the job (default: ansatz)")
	o.Var(&s.MergeTime, "merge-time", "slurm: time that merging may take (default: --time, at most an hour)")
	o.StringVar(&s.MergeMemory, "merge-mem", "", "slurm: memory for merging (default: --mem, else by the plan's estimate)")
	f.options = o
	flags := c.Flags()
	flags.StringVar(&f.engine, "engine", localEngine, "local or slurm")
	c.PreRunE = func(*cobra.Command, []string) error {
		if slices.Contains([]string{localEngine, slurmEngine}, f.engine) {
			return nil
		}
		return usageError{fmt.Errorf("--engine %q: want %s or %s", f.engine, localEngine, slurmEngine)}
	}
	flags.AddFlagSet(o)
	flags.BoolVar(&f.force, "force", false, "submit even if tasks of the plan are running or waiting")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would be submitted, and submit nothing")
}

// isOptionOf says whether an engine has an option.
func isOptionOf(engine, name string) bool {
	switch name {
	case "time", dataDirOption:
		return true
	case "jobs":
		return engine == localEngine
	}
	return engine == slurmEngine
}

// check returns a usage error for options of another engine.
func (f *submitFlags) check() error {
	if f.jobs < 0 {
		return usageError{fmt.Errorf("--jobs %d: want at least 1", f.jobs)}
	}
	var err error
	f.options.VisitAll(func(o *pflag.Flag) {
		if o.Changed && !isOptionOf(f.engine, o.Name) {
			err = usageError{fmt.Errorf("--%s is not for --engine %s", o.Name, f.engine)}
		}
	})
	return err
}

// givenOptions returns the values of the options that were given, by name.
func (f *submitFlags) givenOptions(dataDir string) map[string][]string {
	options := map[string][]string{}
	f.options.VisitAll(func(o *pflag.Flag) {
		if !o.Changed {
			return
		}
		if list, ok := o.Value.(pflag.SliceValue); ok {
			options[o.Name] = list.GetSlice()
		} else {
			options[o.Name] = []string{o.Value.String()}
		}
	})
	if dataDir != "" {
		options[dataDirOption] = []string{dataDir}
	}
	return options
}

// restore sets the options that are not given to their values in the submission.
func (f *submitFlags) restore(sub *shard.Submission) error {
	given := map[string]bool{}
	f.options.VisitAll(func(o *pflag.Flag) { given[o.Name] = o.Changed })
	for name, values := range sub.Options {
		if given[name] || name == dataDirOption || !isOptionOf(f.engine, name) {
			continue
		}
		for _, v := range values {
			if err := f.options.Set(name, v); err != nil {
				return usageError{fmt.Errorf("%s: its option --%s: %w", shard.SubmissionFile, name, err)}
			}
		}
	}
	return nil
}

// slurmFor returns the request to Slurm for a plan, with defaults from the plan.
func (f *submitFlags) slurmFor(plan *shard.Plan) shard.Slurm {
	s := f.slurm
	if !f.options.Changed("signal") {
		s.Signal = shard.SignalBefore(s.Time)
	}
	if s.CPUs == 0 {
		s.CPUs = plan.Threads
	}
	if s.Memory == "" {
		s.Memory = plan.Memory()
	}
	if s.MergeMemory == "" && !f.options.Changed("mem") {
		s.MergeMemory = plan.MergeMemory()
	}
	if plan.Backend == "gpu" {
		s.Gres = cmp.Or(s.Gres, "gpu:1")
		s.MergeGres = s.Gres
	}
	s.MergeCPUs = plan.Threads
	return s
}
