package backend

import "testing"

// TestPanicOfAHelper checks that a panic on a helper's thread reaches the caller, and that the team works on afterwards.
func TestPanicOfAHelper(t *testing.T) {
	team := newTeam(2)
	func() {
		defer func() {
			if p := recover(); p != "ouch" {
				t.Errorf("the caller got %v", p)
			}
		}()
		team.run(2, 1, func(part, _, _ int) {
			if part == 1 {
				panic("ouch")
			}
		})
	}()
	if parts := team.run(2, 1, func(int, int, int) {}); parts != 2 {
		t.Errorf("%d parts afterwards", parts)
	}
}
