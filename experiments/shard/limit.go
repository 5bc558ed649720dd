package shard

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Limit is a time limit, as the value of a flag; 0 is no limit.
type Limit time.Duration

// longest is longer than any cluster's limit.
const longest = Limit(10 * 365 * 24 * time.Hour)

// String returns the limit as Slurm writes it, D-HH:MM:SS; "" for 0.
func (l Limit) String() string {
	if l == 0 {
		return ""
	}
	s := int64((time.Duration(l) + time.Second - 1) / time.Second)
	return fmt.Sprintf("%d-%02d:%02d:%02d", s/86400, s/3600%24, s/60%60, s%60)
}

// Type names the value in the help of a flag.
func (l *Limit) Type() string { return "TIME" }

// Set reads the value of a flag: 90m or 36h, or the forms of Slurm, MINUTES, MINUTES:SECONDS,
// HOURS:MINUTES:SECONDS or DAYS-HOURS, which may be followed by :MINUTES and :SECONDS.
func (l *Limit) Set(text string) error {
	if d, err := time.ParseDuration(text); err == nil && d > 0 && Limit(d) <= longest {
		*l = Limit(d)
		return nil
	}
	seconds, ok := slurmSeconds(text)
	if !ok || seconds < 1 || seconds > int64(time.Duration(longest)/time.Second) {
		return fmt.Errorf("want a time as 90m or 36h, MINUTES, HOURS:MINUTES:SECONDS or DAYS-HOURS")
	}
	*l = Limit(time.Duration(seconds) * time.Second)
	return nil
}

// slurmSeconds reads a time as Slurm does.
func slurmSeconds(text string) (seconds int64, ok bool) {
	days, rest, dashed := strings.Cut(text, "-")
	if !dashed {
		days, rest = "0", text
	}
	parts := strings.Split(rest, ":")
	units := []int64{3600, 60, 1}
	if !dashed && len(parts) < 3 {
		units = units[1:] // a single number means minutes
	}
	if len(parts) > len(units) {
		return 0, false
	}
	for i, part := range append([]string{days}, parts...) {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return 0, false
		}
		unit := int64(86400)
		if i > 0 {
			unit = units[i-1]
		}
		seconds += int64(n) * unit
	}
	return seconds, true
}
