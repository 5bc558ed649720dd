package input

import (
	"math"
	"strconv"
	"strings"
)

// ParseMemory reads a number of bytes such as 8G, 500M or 1.5GiB, in powers of 1024; "" is 0. Its errors are input errors.
func ParseMemory(flag, text string) (int64, error) {
	number := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text), "B"), "I")
	unit := 1.
	for i, suffix := range []string{"K", "M", "G", "T"} {
		if rest, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = rest, math.Pow(1024, float64(i+1))
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	switch bytes := v * unit; {
	case text == "":
		return 0, nil
	case err != nil || unit == 1 || !(bytes >= 1) || bytes > 1<<60:
		return 0, Errorf("%s %q: want a number with a unit, such as 8G or 500M", flag, text)
	default:
		return int64(bytes), nil
	}
}
