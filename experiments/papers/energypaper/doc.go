// Package energypaper has the figures and tables of the paper energy, "On representation learning
// in the first layer of deep CNNs and the dynamics of gradient descent".
//
// A file has one figure or table, or what several share; [Experiments] lists them.
package energypaper
