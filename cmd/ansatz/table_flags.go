package main

import (
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/spf13/pflag"
)

// tableFlags adds the flags of tables to learn from and to test on.
func tableFlags(f *pflag.FlagSet, s *examples.Spec) {
	f.StringVar(&s.Target, "target", "", "column of a table to predict (default: the one named class, else the last)")
	f.BoolVar(&s.Classify, "classify", false, "treat a numeric target as classes")
	f.StringVar(&s.Transform, "transform", "", "scaling of a table's features: none, standard, quantile, or blocks for one-hot "+
		"columns that share a scale (default: standard)")
	f.Var(&s.CSV.Separator, "separator", "CSV separator: comma, semicolon, tab, pipe, space or a character (default: detected)")
	f.Var(&s.CSV.Header, "header", "whether the first line of CSV files names the columns: yes or no (default: detected)")
	f.Var(&s.CSV.Decimal, "decimal", "mark before the fractions of numbers in CSV files: point or comma (default: detected)")
	f.Var(&s.CSV.Encoding, "encoding", "encoding of CSV files: utf-8, utf-16, latin1 or windows-1252 (default: detected)")
}
