// Package experiments puts networks, data and measures together into what a
// user asks for, with the conventions under which every number was found.
package experiments
