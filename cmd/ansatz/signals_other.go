//go:build !unix

package main

import (
	"context"
	"os"
	"syscall"
)

var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

func withTimeOver(parent context.Context) context.Context { return parent }

// timeOver is false: Slurm runs on Unix only.
func timeOver(context.Context) bool { return false }
