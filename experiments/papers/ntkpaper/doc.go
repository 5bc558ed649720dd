// Package ntkpaper has the figures and tables of the paper ntk, "Feature learning and random
// features in standard finite-width CNNs".
//
// A file has one figure or table, or what several share; [Experiments] lists them.
package ntkpaper
