package main

import (
	"io"

	"github.com/ansatz-lab/ansatz/experiments/blueprint"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/spf13/cobra"
)

func (a *app) arch() *cobra.Command {
	var o blueprint.Options
	c := &cobra.Command{
		Use:   "arch NET",
		Short: "Print an architecture as TOML, with shapes and numbers of parameters",
		Long: `arch prints a network layer by layer, as an architecture file for --arch, to look at or to
change. NET is the name of a network (see ansatz verify), or the path of a TOML file, an ONNX
file, or a file of weights. An ONNX network is converted and compared with the file; if no type
of layer can express a node, arch names the node and lists the types. For weights it names the
known network of the same shapes, or else prints what their names and shapes reveal.

An architecture file has the keys input = [channels, rows, columns], name, normalise (none,
imagenet, dataset or MEAN/STD), and tables [[layer]], in order. Every layer has a type and, if
it has parameters, a name. These are the types, with their keys and defaults in brackets; a
size is a number or [rows, columns]:

` + archfile.Help(),
		Example: "  ansatz arch resnet20\n  ansatz arch vit_b_16 --size 224 --classes 10 > my.toml\n" +
			"  ansatz arch model.onnx\n  ansatz arch checkpoint.pth",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return newUsageError(c, "%s: want one name or file, got %d", len(args))
			}
			b, err := blueprint.Draw(c.Context(), args[0], o)
			if err != nil {
				return err
			}
			if a.json {
				return a.print(b)
			}
			_, err = io.WriteString(a.streams.out, b.TOML)
			return err
		},
	}
	c.Flags().IntVar(&o.Size, "size", 0, "rows and columns of the images (default: those that the network was made for)")
	c.Flags().IntVar(&o.Classes, "classes", 0, "number of classes (default: as in the weights, else 1000 for networks "+
		"of ImageNet and 10 for others)")
	return c
}
