// Package workload says of which jobs work consists, so that package cost can estimate what it
// takes: from the sizes of datasets, networks, trainings and machines it makes the jobs.
//
// Begin with [FindDatasetSize], which knows a dataset without opening it, and [TrainingSize],
// [VerificationSize], [MachineSize] and [PatchMachineSize], whose methods return jobs.
// [CostOf] adds up what jobs take.
package workload
