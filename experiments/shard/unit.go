package shard

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// Unit is the least piece of work that is made, kept and checked as one.
type Unit struct {
	// ID is a digest of the kind of the plan, its settings, and Spec.
	ID   string          `json:"id"`
	Name string          `json:"name"` // for people
	Spec json.RawMessage `json:"spec"` // what the job knows the unit by
	// Seconds and Bytes are what it is expected to take, with the plan's threads and
	// for its process; 0 is not known.
	Seconds float64 `json:"seconds,omitempty"`
	Bytes   float64 `json:"bytes,omitempty"`
}

// idOf is the digest of what decides what a unit makes.
func idOf(kind string, settings, spec json.RawMessage) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n", kind, settings, spec))
	return fmt.Sprintf("%x", sum[:8])
}
