// Package overview shows the results of many experiments together. [Compare] makes one table of their
// claims. [ReadOverview] reads a folder of results, for one page about it and an index.
package overview
