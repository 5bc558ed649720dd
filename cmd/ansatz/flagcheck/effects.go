package flagcheck

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/suggest"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A need is a condition for a flag to have an effect: another flag must be given or, if there are values, have
// one of them. In a value such as ntk:3 only the part before the colon counts.
type need struct {
	flag   string
	values []string
}

var (
	toChoose = need{"select", []string{"validation"}}
	toScale  = need{"kernel", []string{"laplace", "gaussian", "exponential", "h-exponential", "l1", "product", "lpq"}}
	bySGD    = need{"method", []string{"sgd"}}
	bySystem = need{"method", []string{"solve", "exact", "cg"}}
	bySteps  = need{"method", []string{"sgd", "exact"}}
	byFlow   = need{"method", []string{"exact"}}
	byCG     = need{"method", []string{"cg"}}
	byAGOP   = need{"update", []string{"agop", "all"}}
	byGD     = need{"update", []string{"gd", "gd+centres", "all"}}
)

// needs lists, by command, the flags that have an effect only beside others.
var needs = map[string]map[string][]need{
	"run":   {"max-seeds": {{flag: "until-settled"}}},
	"train": {"probe-images": {{flag: "track-ansatz"}}, "prefix": {{flag: "init-weights"}}},
	"ntk":   {"prefix": {{flag: "weights"}}},
	"rfm": {
		"holdout": {toChoose}, "bandwidth": {toScale}, "adaptive": {toScale}, "memory": {{flag: "leaf"}},
		"time": {{flag: "search"}}, "folds": {{flag: "search"}}, "average": {{flag: "search"}},
	},
	"convrfm": {"linear-features": {{flag: "layers"}}, "filters": {{flag: "layers"}}},
	"hyperbf": {
		"holdout": {toChoose}, "iters": {byAGOP}, "scale": {byAGOP}, "rate": {byGD}, "steps": {byGD}, "solve-every": {byGD},
		"opt": {byGD}, "batch": {byGD}, "coefficients": {byGD}, "momentum": {byGD, {"opt", []string{"sgd"}}},
	},
	"energy": {"init-seeds": {{"against", []string{"init"}}}},
	"linearize": {
		"ridge": {bySystem}, "times": {byFlow}, "kernel": {byFlow}, "iterations": {byCG}, "tolerance": {byCG},
		"epochs": {bySGD}, "steps": {bySGD}, "batch": {bySGD}, "weight-decay": {bySGD}, "schedule": {bySGD},
		"freeze": {bySGD}, "patience": {bySGD}, "lr": {bySteps}, "momentum": {bySteps}, "loss": {bySGD},
		"block": {bySGD}, "crop": {bySGD}, "flip": {bySGD}, "seeds": {bySGD}, "resume": {bySGD},
		"prefix": {{flag: "init-weights"}}, "checkpoint-every": {bySGD}, "compare": {bySGD}, "dropout": {bySGD, {flag: "compare"}},
	},
	"cost": {
		"depths": {{flag: "kernel"}}, "sizes": {{flag: "kernel"}}, "pooled-sizes": {{flag: "kernel"}},
		"channels": {{flag: "kernel"}}, "patch": {{flag: "kernel"}},
	},
}

// excludes lists, by command, flags of which the second has no effect beside the first.
var excludes = map[string][][2]string{
	"rfm": {
		{"leaf", "metric-out"}, {"search", "leaf"}, {"search", "select"}, {"search", "holdout"}, {"average", "metric-out"},
	},
	"run": {
		{"shard", "jobs"}, {"shard", "until-settled"}, {"shard", "max-seeds"}, {"shard", "memory"},
	},
	"train":     {{"init-weights", "init"}},
	"linearize": {{"init-weights", "init"}},
	"cost":      {{"kernel", "features"}},
	"tabular": {
		{"splits-out", "methods"}, {"splits-out", "iters"}, {"splits-out", "others"}, {"splits-out", "missing"},
		{"splits-out", "resume"},
	},
}

// excludesOfAll is excludes for all commands: --print does not print JSON.
var excludesOfAll = [][2]string{{"print", "json"}}

// onlyPrinted lists the commands that write no files, so that --out has no effect.
var onlyPrinted = []string{"arch", "compare", "doctor", "list"}

// Named returns, by command, the flags that [CheckValues] knows by name.
func Named() map[string][]string {
	all := map[string][]string{}
	for command, flags := range needs {
		for flag, others := range flags {
			all[command] = append(all[command], flag)
			for _, n := range others {
				all[command] = append(all[command], n.flag)
			}
		}
	}
	for command, pairs := range excludes {
		for _, pair := range pairs {
			all[command] = append(all[command], pair[:]...)
		}
	}
	return all
}

// Explain rewrites pflag's error for a user: it adds " (did you mean --FLAG?)" if the command does not have the flag,
// and says what values a flag takes if it was given another.
func Explain(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return fmt.Errorf("%w%s", err, suggest.Hint("--"+unknown.GetSpecifiedName(), names))
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		if want := values[invalid.GetFlag().Value.Type()]; want != "" {
			return fmt.Errorf("--%s %q: want %s", invalid.GetFlag().Name, invalid.GetValue(), want)
		}
		return fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	return err
}

// values describes the values that flags of a type take.
var values = map[string]string{
	"int": "a whole number", "uint64": "a whole number that is not negative", "float64": "a number",
	"bool": "true or false", "intSlice": "whole numbers with commas between them",
	"float64Slice": "numbers with commas between them", "duration": "a time such as 30s, 90m or 2h",
}

// checkEffects returns an error for a flag that was given and has no effect beside the others.
func checkEffects(c *cobra.Command) error {
	f := c.Flags()
	var err error
	f.Visit(func(given *pflag.Flag) {
		for _, n := range needs[c.Name()][given.Name] {
			if err == nil && !n.isMet(f) {
				err = fmt.Errorf("--%s has no effect without %s", given.Name, n)
			}
		}
	})
	for _, pair := range slices.Concat(excludes[c.Name()], excludesOfAll) {
		if err == nil && f.Changed(pair[0]) && f.Changed(pair[1]) {
			err = fmt.Errorf("--%s has no effect beside --%s: take one of them", pair[1], pair[0])
		}
	}
	if err == nil && f.Changed("out") && slices.Contains(onlyPrinted, c.Name()) {
		err = fmt.Errorf("--out has no effect: %s only prints; to keep what it prints, add > FILE", c.CommandPath())
	}
	if err == nil && f.Changed("json") && c.Name() == "estimates" && !f.Changed("job") {
		err = fmt.Errorf("--json has no effect: %s prints CSV or Markdown; leave it out", c.CommandPath())
	}
	data := f.Lookup("data")
	if err == nil && f.Changed("split") && data != nil && input.IsFolder(data.Value.String()) {
		err = fmt.Errorf("--split has no effect on a folder, all of whose images are taken: give the " +
			"folder of the split as --data")
	}
	return err
}

// CheckWithoutIDs returns an error for a flag of run or plan that has no effect without IDs of experiments, where the plan in
// --out is used as it is. Run accepts --backend, which it compares with the plan's.
func CheckWithoutIDs(c *cobra.Command) error {
	for _, name := range []string{"scale", "spec", "seeds", "seed", "threads", "shards", "backend"} {
		if c.Flags().Changed(name) && (name != "backend" || c.Name() == "plan") {
			return fmt.Errorf("--%s has no effect without IDs of experiments: the plan in --out is used as it is", name)
		}
	}
	return nil
}

// isMet reports whether the flags meet a need.
func (n need) isMet(f *pflag.FlagSet) bool {
	on := f.Lookup(n.flag)
	if on == nil || len(n.values) == 0 {
		return f.Changed(n.flag)
	}
	values := []string{on.Value.String()}
	if list, ok := on.Value.(pflag.SliceValue); ok {
		values = list.GetSlice()
	}
	return slices.ContainsFunc(values, func(v string) bool {
		kind, _, _ := strings.Cut(v, ":")
		return slices.Contains(n.values, kind)
	})
}

// String returns the flag that has to be given, with the values that meet the need.
func (n need) String() string {
	values := strings.Join(n.values, ", ")
	if i := strings.LastIndex(values, ", "); i >= 0 {
		values = values[:i] + " or " + values[i+2:]
	}
	return strings.TrimSpace("--" + n.flag + " " + values)
}
