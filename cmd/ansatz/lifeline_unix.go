//go:build unix

package main

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// lifeline is the file of a number, nil if that is no pipe.
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

// giveLifeline gives a process that is about to be started a lifeline. It returns the
// ends of its pipe: the first is to be closed once the process is started, the other
// when it has ended.
func giveLifeline(c *exec.Cmd) (theirs, ours *os.File, err error) {
	if theirs, ours, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	c.ExtraFiles = []*os.File{theirs} // which gets the number 3
	c.Env = append(c.Environ(), lifelineVariable+"=3")
	return theirs, ours, nil
}
