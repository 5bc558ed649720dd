//go:build unix

package main

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// lifeline returns the file with that descriptor, nil if it is no pipe.
func lifeline(number string) *os.File {
	fd, err := strconv.Atoi(number)
	if err != nil || fd < 3 {
		return nil
	}
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil || info.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return nil
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "lifeline")
}

// giveLifeline gives a lifeline to a process that is about to start. It returns the ends of the pipe: close
// theirs once the process has started, and ours when it has ended.
func giveLifeline(c *exec.Cmd) (theirs, ours *os.File, err error) {
	if theirs, ours, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	c.ExtraFiles = []*os.File{theirs} // which gets the number 3
	c.Env = append(c.Environ(), lifelineVariable+"=3")
	return theirs, ours, nil
}
