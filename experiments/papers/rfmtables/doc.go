// Package rfmtables contains the benchmarks on tables of the paper rfm: Figs. 4 and 5, and Tables 2 to 5, which
// compare recursive feature machines with other methods on many tables.
//
// [Fig4], [Fig5] and [Table] return the experiments; package rfmpaper lists them among the figures of the paper.
package rfmtables
