package measured

import (
	"strings"
	"testing"
)

func TestReadBad(t *testing.T) {
	const head = "# remark\nid,scale,seconds,mib\n"
	for _, text := range []string{head + "a,small,1\n", head + "a,small,x,1\n", head + "a,small,0,1\n",
		head + "a,small,1,-1\n", head + "a,small,NaN,1\n", head + "a,small,inf,1\n", head + "a,small,1,1e308\n",
		head + "\"a,small,1,1\n"} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "line 3") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Read(strings.NewReader("a,small,1,1\n")); err == nil || !strings.Contains(err.Error(), "want the header") {
		t.Errorf("without a header: %v", err)
	}
}
