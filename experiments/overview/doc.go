// Package overview puts the results of many experiments together: [Compare] is one table of their
// claims, [ReadOverview] reads a folder of results and writes one page and an index over it.
package overview
