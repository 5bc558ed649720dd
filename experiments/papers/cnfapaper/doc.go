// Package cnfapaper has the figures and tables of the paper cnfa, "Mechanism of feature learning in convolutional neural networks".
//
// A file has one figure or table, or what several share; [Experiments] lists them.
package cnfapaper
