package main

import (
	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// noArgs accepts flags only.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return newUsageError(c, "%s takes no argument %q, only flags", args[0])
	}
	return nil
}

// oneArg accepts one argument, which is named by what.
func oneArg(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return newUsageError(c, "%s takes one %s, not %d", what, len(args))
		}
		return nil
	}
}

// someArgs accepts one argument or more, which are described by what.
func someArgs(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return newUsageError(c, "%s needs %s", what)
		}
		return nil
	}
}

// required returns a usage error if one of the flags is not given.
func required(c *cobra.Command, flags ...string) error {
	for _, f := range flags {
		if !c.Flags().Changed(f) {
			return newUsageError(c, "%s needs --%s", f)
		}
	}
	return nil
}

// initFlags adds the flags of fresh weights.
func initFlags(f *pflag.FlagSet, init, parameterisation *string) {
	f.StringVar(init, "init", "", "pytorch, kaiming or normal:S1,S2,… (a standard deviation for each layer, "+
		"the last for the rest) (default: the architecture's own)")
	f.StringVar(parameterisation, "parameterisation", "", "standard, or ntk:W:B: a layer is W/√fan-in times its weights "+
		"times its input plus B times its bias, and both begin as N(0, 1); ntk is ntk:1.414:0.1 (default: standard)")
}

// archFlags adds the flags of an architecture.
func archFlags(f *pflag.FlagSet, arch *string, width *float64, prefix *string) {
	f.StringVar(arch, "arch", "", "architecture: a name, or the path of an ONNX or TOML file")
	f.StringVar(prefix, "prefix", "", "in all files of weights, read only tensors whose names begin with this, such as "+
		"model.")
	f.Var((*flagcheck.Factor)(width), "width", "factor on the architecture's numbers of filters and hidden units (default: 1)")
}

// scalingFlags adds the flags that bring images to the size of a network's input.
func scalingFlags(f *pflag.FlagSet, size *int, fit *string) {
	f.IntVar(size, "size", 0, "size to which images are scaled (default: the architecture's if they differ in "+
		"size, else none)")
	f.StringVar(fit, "fit", "", "crop or stretch: how to bring images of different sizes to one size (default: crop "+
		"for folders and ImageNet)")
}

// precisionFlags adds the flags of precision and backend.
func precisionFlags(f *pflag.FlagSet, precision *int, backend *string) {
	f.IntVar(precision, "precision", 32, "32 or 64 bits")
	backendFlag(f, backend)
}

// backendFlag adds the flag of the backend.
func backendFlag(f *pflag.FlagSet, backend *string) {
	f.StringVar(backend, "backend", "", "native, go or gpu (default: that of $ANSATZ_BACKEND, else native where it is built in); "+
		"gpu needs CUDA or OpenCL")
}
