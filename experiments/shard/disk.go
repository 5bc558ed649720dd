package shard

import "github.com/ansatz-lab/ansatz/internal/disk"

// Disk returns how many bytes the incomplete units of the plan are expected to write into the folder out, with the
// checkpoints of one unit at a time, and merging after them. Unknown sizes count as 0.
func (p *Plan) Disk(out string) float64 {
	f := folder(out)
	sum, scratch := 0., 0.
	for _, u := range p.Units {
		if !f.has(u.ID) {
			sum, scratch = sum+u.Disk, max(scratch, u.Scratch)
		}
	}
	return sum + scratch + p.MergeDisk
}

// LacksDisk reports whether the file system of the folder out has less free space than [Plan.Disk], and how much is
// free.
func (p *Plan) LacksDisk(out string) (free int64, lacks bool) {
	free, known := disk.Free(out)
	return free, known && float64(free) < p.Disk(out)
}
