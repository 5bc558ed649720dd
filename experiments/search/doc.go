// Package search looks for the settings of a recursive feature machine by a random search: [Space.Draw] draws settings,
// [Search.Run] tries each by cross-validation on the training examples, several at a time, and keeps what it found, so
// that a search goes on where it ended.
package search
