package report

import (
	"encoding/json"
	"math"
)

// cellJSON is a cell as JSON has it, which knows no NaN.
type cellJSON struct {
	Text  string   `json:"text,omitempty"`
	Value *float64 `json:"value,omitempty"`
	Mark  Mark     `json:"mark,omitempty"`
}

// MarshalJSON leaves a value out that is absent or infinite.
func (c Cell) MarshalJSON() ([]byte, error) {
	j := cellJSON{Text: c.Text, Mark: c.Mark}
	if !math.IsNaN(c.Value) && !math.IsInf(c.Value, 0) {
		j.Value = &c.Value
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Cell) UnmarshalJSON(text []byte) error {
	var j cellJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*c = Cell{Text: j.Text, Value: math.NaN(), Mark: j.Mark}
	if j.Value != nil {
		c.Value = *j.Value
	}
	return nil
}
