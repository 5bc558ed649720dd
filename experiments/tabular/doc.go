// Package tabular is the commands tabular and leaderboard: recursive feature machines on
// benchmarks of tables by the papers' protocols, and the measures that compare methods over many
// tables.
//
// Begin with [Spec] and [NewTabular], or [NewLeaderboard].
package tabular
