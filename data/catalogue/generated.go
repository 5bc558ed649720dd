package catalogue

// generated returns the sets that ansatz makes itself. If Shape has no sizes, or Classes is 0, they depend on the arguments
// or on the base set. The sets have any requested number of images or rows.
func generated() []Entry {
	return []Entry{
		{
			Name: "bars", Title: "Noisy bars", Papers: []string{"cnfa"}, Kind: Generated,
			Shape: "1×16×32", Classes: 2,
			Variants: []string{"noise=1"},
			Note:     "a row of ±1/√32 in Gaussian noise (cnfa Fig. 5A)",
		},
		{
			Name: "deadleaves", Title: "Dead leaves", Kind: Generated,
			Shape: "3×32×32", Classes: 2,
			Variants: []string{"leaves", "disks", "leaves,textured", "disks,textured"},
			Note: "leaves that occlude each other: edges and a spectrum as in natural images, without files; " +
				"in none of the papers",
		},
		{
			Name: "glyphs", Title: "Digits of the Go fonts", Kind: Generated,
			Shape: "1×28×28", Classes: 10,
			Note: "bent, shaded and noisy; stands in for MNIST without files; in none of the papers",
		},
		{
			Name: "heads", Title: "Drawn heads", Kind: Generated,
			Shape: "3×32×32", Classes: 2,
			Variants: []string{"attribute=hat", "attribute=glasses", "attribute=smile",
				"attribute=smile,with=glasses,agree=.9,test=random"},
			Note: "hats, glasses and smiles of low contrast; stands in for CelebA, in none of the papers",
		},
		{
			Name: "noisydigits", Title: "Digits in a noisy frame", Papers: []string{"cnfa"}, Kind: Generated,
			Shape: "1×42×42", Classes: 10,
			Variants: []string{"SET", "SET,noise=1"},
			Note:     "28×28 digits anywhere in a frame of Gaussian noise (cnfa Fig. 5B), made from another set",
		},
		{
			Name: "polynomial", Title: "Low-rank polynomials", Papers: []string{"rfm"}, Kind: Generated,
			Variants: []string{"rademacher", "hermite", "product", "switched", "tutorial", "lowrank"},
			Note:     "tables whose target depends on few directions (rfm Figs. 10, 14 and 16)",
		},
		{
			Name: "sidebyside", Title: "Two sets side by side", Papers: []string{"rfm"}, Kind: Generated,
			Shape:    "?×?×?",
			Variants: []string{"LEFT,RIGHT"},
			Note:     "such as CIFAR-10 beside MNIST, a digit for each class (rfm Fig. 8), made from two other sets",
		},
		{
			Name: "spurious", Title: "Planted spurious patches", Papers: []string{"rfm"}, Kind: Generated,
			Shape:    "?×?×?",
			Variants: []string{"SET", "SET,agree=.95,side=5,corner=upper-left,test=random"},
			Note:     "a patch that is correlated with the label in training (rfm Fig. 9), made from another set",
		},
		{
			Name: "star", Title: "A star in the corner", Papers: []string{"rfm"}, Kind: Generated,
			Shape: "?×?×?", Classes: 2,
			Variants: []string{"SET", "SET,a=CLASS,b=CLASS"},
			Note:     "its colour shows the class; one class is rare (rfm Fig. 7), made from another set",
		},
		{
			Name: "streetdigits", Title: "Digits in colour with others beside them", Kind: Generated,
			Shape: "3×32×32", Classes: 10,
			Note: "random colours and polarity; stands in for SVHN, in none of the papers",
		},
	}
}
