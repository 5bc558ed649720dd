// Package jobtest helps packages to test jobs that are divided into shards: [MergePlan] makes all units of a plan and
// merges them, and [CheckSameFiles] compares the resulting files.
package jobtest
