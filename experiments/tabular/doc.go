// Package tabular implements the commands tabular and leaderboard. The first runs recursive feature
// machines and other kernel machines on benchmarks of tables, by the papers' protocols. The second
// computes the measures that compare methods over many tables.
//
// Begin with [OpenBenchmark] or [CompareMethods].
package tabular
