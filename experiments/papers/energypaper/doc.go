// Package energypaper contains the figures and tables of the paper energy, "On representation learning in the first
// layer of deep CNNs and the dynamics of gradient descent".
//
// Each file is named after its figures or tables, or holds what several of them share; [Experiments] lists them.
package energypaper
