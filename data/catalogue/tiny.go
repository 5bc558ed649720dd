package catalogue

// tiny returns the sets of small photographs of one size.
func tiny() []Entry {
	return []Entry{cifar10(), cifar100(), imageNet32(), svhn(), stl10()}
}

func cifar10() Entry {
	return Entry{
		Name:    "cifar10",
		Title:   "CIFAR-10",
		Papers:  []string{"cnfa", "rfm", "hyperbf", "energy", "ntk"},
		Kind:    Images,
		Shape:   "3×32×32",
		Classes: 10,
		Splits:  trainTest(50000, 10000),
		Licence: "not stated",
		Home:    "https://www.cs.toronto.edu/~kriz/cifar.html",
		Files: []File{
			// tfds: url_checksums/cifar10.txt.
			known("downloads/cifar10/cifar-10-binary.tar.gz", ".", 170052171,
				"c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
				"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"),
		},
	}
}

func cifar100() Entry {
	return Entry{
		Name:     "cifar100",
		Title:    "CIFAR-100",
		Papers:   []string{"cnfa", "energy"},
		Kind:     Images,
		Shape:    "3×32×32",
		Classes:  100,
		Splits:   trainTest(50000, 10000),
		Variants: []string{"fine", "coarse"},
		Licence:  "not stated",
		Home:     "https://www.cs.toronto.edu/~kriz/cifar.html",
		Files: []File{
			// tfds: url_checksums/cifar100.txt.
			known("downloads/cifar100/cifar-100-binary.tar.gz", ".", 168513733,
				"58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
				"https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz"),
		},
		Note: "coarse has 20 classes",
	}
}

func imageNet32() Entry {
	return Entry{
		Name:    "imagenet32",
		Title:   "Downsampled ImageNet 32×32",
		Papers:  []string{"cnfa"},
		Kind:    Images,
		Shape:   "3×32×32",
		Classes: 1000,
		Splits:  []Split{{Name: "train", Size: 1281167}, {Name: "validation", Size: 50000}},
		Licence: "that of ImageNet: non-commercial research and education only",
		Home:    "https://patrykchrabaszcz.github.io/Imagenet32/",

		// tfds: datasets/imagenet_resized/checksums.tsv.
		ByHand: "log in at https://image-net.org/download-images, agree to its terms and get, of the downsampled " +
			"images, Imagenet32_train_npz.zip (3580435279 bytes, SHA-256 " +
			"94226337ecc1b0309d9fcd0167127aaadc931587035fbcb53925235edbaec4fc) and " +
			"Imagenet32_val_npz.zip (139697668 bytes, SHA-256 " +
			"013990e6dec1237dcd1f9beadbab81ead6604cc119af5cacbfb59ae28148377a); " +
			"unpack both into the folder imagenet32",
		Note: "ImageNet resized with a box filter by Chrabaszcz et al. 2017; its labels count from 1, in an order " +
			"of their own",
	}
}

func svhn() Entry {
	// tfds: url_checksums/svhn_cropped.txt. The publisher has no HTTPS.
	file := func(name string, bytes int64, sha256 string) File {
		return known("svhn/"+name, "", bytes, sha256, "http://ufldl.stanford.edu/housenumbers/"+name)
	}
	return Entry{
		Name:     "svhn",
		Title:    "The Street View House Numbers, cropped digits",
		Papers:   []string{"cnfa", "rfm"},
		Kind:     Images,
		Shape:    "3×32×32",
		Classes:  10,
		Splits:   append(trainTest(73257, 26032), Split{Name: "extra", Size: 531131}),
		Variants: []string{"extra"},
		Of:       map[string][]Split{"extra": trainTest(73257+531131, 26032)},
		Note:     "svhn:extra adds the extra images, which are easier, to the training split",
		Licence:  "non-commercial use only",
		Home:     "http://ufldl.stanford.edu/housenumbers/",
		Files: []File{
			file("train_32x32.mat", 182040794, "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8"),
			file("test_32x32.mat", 64275384, "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b"),
			file("extra_32x32.mat", 1329278602, "a133a4beb38a00fcdda90c9489e0c04f900b660ce8a316a5e854838379a71eb3"),
		},
	}
}

func stl10() Entry {
	return Entry{
		Name:     "stl10",
		Title:    "STL-10",
		Papers:   []string{"cnfa", "rfm"},
		Kind:     Images,
		Shape:    "3×96×96",
		Classes:  10,
		Splits:   append(trainTest(5000, 8000), Split{Name: "unlabeled", Size: 100000}),
		Variants: []string{"unlabeled"},
		Of:       map[string][]Split{"unlabeled": trainTest(100000, 100000)},
		Licence:  "not stated; the images are ImageNet's",
		Home:     "https://cs.stanford.edu/~acoates/stl10/",
		Files: []File{
			// tfds: url_checksums/stl10.txt.
			known("downloads/stl10/stl10_binary.tar.gz", ".", 2640397119,
				"f31fd99273a1acb8609c8db427cebb1de3f71de77758cdc0e22956e1289b9866",
				"https://ai.stanford.edu/~acoates/stl10/stl10_binary.tar.gz",
				"http://ai.stanford.edu/~acoates/stl10/stl10_binary.tar.gz"),
		},
	}
}
