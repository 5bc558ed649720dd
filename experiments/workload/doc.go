// Package workload lists the jobs that work consists of, so that package cost can estimate its cost. The jobs follow
// from the sizes of datasets, networks, trainings and kernel machines.
//
// Begin with [FindDatasetSize], which finds a dataset's size without opening it, and [TrainingSize],
// [VerificationSize], [MachineSize] and [PatchMachineSize], whose methods return jobs. [Estimate] adds up the costs of
// jobs.
package workload
