// Package overview shows the results of many experiments together. [Compare] makes one table of their claims.
// [ReadOverview] reads a folder of results, from which it makes one page and an index.
package overview
