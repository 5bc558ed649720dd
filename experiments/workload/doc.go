// Package workload lists the jobs that work consists of, so that package cost can estimate what it
// takes: jobs follow from the sizes of datasets, networks, trainings and machines.
//
// Begin with [FindDatasetSize], which knows a dataset without opening it, and [TrainingSize],
// [VerificationSize], [MachineSize] and [PatchMachineSize], whose methods return jobs. [Estimate]
// adds up what jobs take.
package workload
