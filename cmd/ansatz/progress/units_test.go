package progress

import (
	"strings"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/shard"
)

func TestUnitBar(t *testing.T) {
	b := &Units{start: time.Unix(0, 0), begun: 2}
	s := &shard.Status{Units: 12, Whole: 7}
	if line := b.line(s, time.Unix(600, 0), 70); !strings.HasPrefix(line, "7 of 12 units ") ||
		!strings.HasSuffix(line, " 58 %  10 min left") {
		t.Errorf("%q", line)
	}
}
