package parallel

// Evenly returns the size of the fewest equal shares of n that are at most most, both
// at least 1; the last share may be smaller.
func Evenly(n, most int) int {
	shares := (n + most - 1) / most
	return (n + shares - 1) / shares
}
