// Package hyperbfpaper has the figures and tables of the paper hyperbf, "AGOP as a greedy approximation of gradient descent".
//
// A file has one figure or table, or what several share; [Experiments] lists them.
package hyperbfpaper
