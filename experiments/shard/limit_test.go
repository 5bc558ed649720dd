package shard

import (
	"testing"
)

func TestLimit(t *testing.T) {
	for text, want := range map[string]string{
		"90m": "0-01:30:00", "36h": "1-12:00:00", "10": "0-00:10:00", "10:30": "0-00:10:30", "1:00:01": "0-01:00:01",
		"2-3": "2-03:00:00", "2-3:04": "2-03:04:00", "2-03:04:05": "2-03:04:05", "1500ms": "0-00:00:02",
		"1440": "1-00:00:00",
	} {
		var l, back Limit
		if err := l.Set(text); err != nil || l.String() != want {
			t.Errorf("%s: %v, %v, want %s", text, l, err, want)
		}
		if err := back.Set(l.String()); err != nil || back.String() != l.String() {
			t.Errorf("%v came back as %v, %v", l, back, err)
		}
	}
	for _, text := range []string{"", "0", "-5", "x", "1:2:3:4", "1-2:3:4:5", "1-", "-1-2", "5 m", "99999999",
		"999999999h", "1.5", "+1", "0s"} {
		var l Limit
		if err := l.Set(text); err == nil || l != 0 {
			t.Errorf("%q: %v", text, l)
		}
	}
}
