package shard

import (
	"errors"
	"io"
	"os"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// WriteScripts writes the scripts of a plan, and makes the folder of their logs.
func WriteScripts(out, tasks, merge string) error {
	if err := os.MkdirAll(LogFolder(out), 0o777); err != nil {
		return err
	}
	write := func(path, text string) error {
		return atomicfile.WriteFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	return errors.Join(write(TaskScript(out), tasks), write(MergeScript(out), merge))
}
