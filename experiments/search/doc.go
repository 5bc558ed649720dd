// Package search looks for the settings of a recursive feature machine by a random search: [Space.Draw] draws settings,
// [Search.Run] tries each by cross-validation on the training examples, several at a time, and keeps the trials in a
// folder, so that an interrupted search can continue.
package search
