// Package rfmpaper has the figures and tables of the paper rfm, "Feature learning in neural networks and kernel machines that recursively learn features".
//
// A file has one figure or table, or what several share; [Experiments] lists them.
package rfmpaper
