package experiments

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/papers/alignmentpaper"
	"github.com/ansatz-lab/ansatz/experiments/papers/cnfapaper"
	"github.com/ansatz-lab/ansatz/experiments/papers/energypaper"
	"github.com/ansatz-lab/ansatz/experiments/papers/hyperbfpaper"
	"github.com/ansatz-lab/ansatz/experiments/papers/ntkpaper"
	"github.com/ansatz-lab/ansatz/experiments/papers/rfmpaper"
	"github.com/ansatz-lab/ansatz/experiments/papers/theory"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/verify"
)

// All returns the experiments of the five papers, and of alignment, in the order in which they are listed.
// They are the caller's own: changing them changes nothing else.
func All() study.Catalogue {
	return slices.Concat(
		cnfapaper.Experiments(), rfmpaper.Experiments(), hyperbfpaper.Experiments(), energypaper.Experiments(),
		ntkpaper.Experiments(), theory.Experiments(), alignmentpaper.Experiments(),
	)
}

// OpenJob opens the job of a plan on this machine, whatever its kind. It returns an
// [*input.Error] for a plan that another version of ansatz made, or one for another backend.
func OpenJob(p *shard.Plan, in job.Setting) (shard.Job, error) {
	return job.Kinds{
		job.RunKind:     study.NewJobs(All()),
		job.VerifyKind:  verify.OpenJob,
		job.ConvRFMKind: kernelmachine.OpenJob,
		job.NTKKind:     tangent.OpenJob,
		job.TabularKind: tabular.OpenJob,
		job.TrainKind:   train.OpenJob,
	}.Open(p, in)
}
