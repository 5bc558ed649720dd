package catalogue

// generated returns the sets that ansatz makes itself. Where Shape has no sizes, or Classes is 0, they follow the
// arguments or the images that the set is made of. They have as many images or rows as are asked for.
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
			Note: "leaves that hide each other: edges and a spectrum like those of natural images, where no " +
				"file is; in none of the papers",
		},
		{
			Name: "glyphs", Title: "Digits of the Go fonts", Kind: Generated,
			Shape: "1×28×28", Classes: 10,
			Note: "bent, shaded and noisy; stands in for MNIST where no file is; in none of the papers",
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
			Note:     "28×28 digits anywhere in a frame of Gaussian noise (cnfa Fig. 5B), made of another set",
		},
		{
			Name: "polynomial", Title: "Low-rank polynomials", Papers: []string{"rfm"}, Kind: Generated,
			Variants: []string{"rademacher", "hermite", "product", "switched", "tutorial", "lowrank"},
			Note:     "tables with a target of few directions (rfm Figs. 10, 14 and 16)",
		},
		{
			Name: "sidebyside", Title: "Two sets side by side", Papers: []string{"rfm"}, Kind: Generated,
			Shape:    "?×?×?",
			Variants: []string{"LEFT,RIGHT"},
			Note:     "as CIFAR-10 beside MNIST, each class with one digit (rfm Fig. 8), made of two other sets",
		},
		{
			Name: "spurious", Title: "Planted spurious patches", Papers: []string{"rfm"}, Kind: Generated,
			Shape:    "?×?×?",
			Variants: []string{"SET", "SET,agree=.95,side=5,corner=upper-left,test=random"},
			Note:     "a patch that goes with the label in training (rfm Fig. 9), made of another set",
		},
		{
			Name: "star", Title: "A star in the corner", Papers: []string{"rfm"}, Kind: Generated,
			Shape: "?×?×?", Classes: 2,
			Variants: []string{"SET", "SET,a=CLASS,b=CLASS"},
			Note:     "its colour tells the class, of which one is rare (rfm Fig. 7), made of another set",
		},
		{
			Name: "streetdigits", Title: "Digits in colour with others beside them", Kind: Generated,
			Shape: "3×32×32", Classes: 10,
			Note: "random colours and polarity; stands in for SVHN, in none of the papers",
		},
	}
}
