package gpu

import "testing"

func TestAvailable(t *testing.T) {
	found, err := Devices()
	t.Log(found, err)
	if err := Available(); err != nil {
		t.Fatal(err)
	}
}
