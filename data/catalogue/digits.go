package catalogue

// digits returns the sets of handwritten characters, and Fashion-MNIST, which has their format.
func digits() []Entry {
	return []Entry{mnist(), qmnist(), emnist(), fashionMNIST()}
}

func mnist() Entry {
	// The digests of the splits are computed from files whose inflated contents have the digests of the published ones.
	// The publisher's page answers 403 (pytorch/vision issue 8568) and asks scripts to stay away (issue 4634), so the
	// files come from mirrors. tfds: url_checksums/mnist.txt; the same digests in torchvision:
	// prototype/datasets/_builtin/mnist.py.
	file := func(name string, bytes int64, sha256 string) File {
		return known("mnist/"+name, "", bytes, sha256,
			"https://ossci-datasets.s3.amazonaws.com/mnist/"+name,
			"https://storage.googleapis.com/cvdf-datasets/mnist/"+name)
	}
	return Entry{
		Name:    "mnist",
		Title:   "MNIST",
		Papers:  []string{"cnfa", "rfm", "hyperbf", "ntk"},
		Kind:    Images,
		Shape:   "1×28×28",
		Classes: 10,
		Splits: []Split{
			{Name: "train", Size: 60000, SHA256: "baedb0edd00a28e97b281c967f6c7514bedfea1d17b30334caccd6ec0d75cf98"},
			{Name: "test", Size: 10000, SHA256: "ad39c4e3d6eb0920f4ea84533a577cc5afbb47c5e8034d374d0605316c8923f3"},
		},
		Licence: "CC BY-SA 3.0, as its copies state it",
		Home:    "https://yann.lecun.com/exdb/mnist/",
		Files: []File{
			file("train-images-idx3-ubyte.gz", 9912422,
				"440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
			file("train-labels-idx1-ubyte.gz", 28881,
				"3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
			file("t10k-images-idx3-ubyte.gz", 1648877,
				"8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
			file("t10k-labels-idx1-ubyte.gz", 4542, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"),
		},
	}
}

func qmnist() Entry {
	// torchvision: prototype/datasets/_builtin/mnist.py. We found no record of the sizes.
	file := func(name, sha256 string) File {
		return known("qmnist/"+name, "", 0, sha256,
			"https://raw.githubusercontent.com/facebookresearch/qmnist/master/"+name)
	}
	return Entry{
		Name:    "qmnist",
		Title:   "QMNIST",
		Papers:  []string{"cnfa"},
		Kind:    Images,
		Shape:   "1×28×28",
		Classes: 10,
		Splits: append(trainTest(60000, 60000), Split{Name: "test10k", Size: 10000},
			Split{Name: "test50k", Size: 50000}),
		Variants: []string{"test10k", "test50k"},
		Of:       map[string][]Split{"test10k": trainTest(60000, 10000), "test50k": trainTest(60000, 50000)},
		Licence:  "BSD",
		Home:     "https://github.com/facebookresearch/qmnist",
		Files: []File{
			file("qmnist-train-images-idx3-ubyte.gz",
				"9e26a7bf1683614e065d7b76460ccd52807165b3f22561fb782bd9f38c52b51d"),
			file("qmnist-train-labels-idx2-int.gz", "2c05dc77f6b916b38e455e97ab129a42a444f3dbef09b278a366f82904e0dd9f"),
			file("qmnist-test-images-idx3-ubyte.gz",
				"43fc22bf7498b8fc98de98369d72f752d0deabc280a43a7bcc364ab19e57b375"),
			file("qmnist-test-labels-idx2-int.gz", "9fbcbe594c3766fdf4f0b15c5165dc0d1e57ac604e01422608bb72c906030d06"),
		},
		Note: "the first 10000 test images (test10k) are MNIST's, reconstructed; the other 50000 (test50k) are " +
			"those that MNIST left out",
	}
}

func emnist() Entry {
	return Entry{
		Name:     "emnist",
		Title:    "EMNIST",
		Papers:   []string{"cnfa"},
		Kind:     Images,
		Shape:    "1×28×28",
		Classes:  47,
		Splits:   trainTest(112800, 18800),
		Variants: []string{"balanced", "byclass", "bymerge", "digits", "letters", "mnist"},
		Of: map[string][]Split{
			"byclass": trainTest(697932, 116323), "bymerge": trainTest(697932, 116323),
			"digits":  trainTest(240000, 40000),
			"letters": trainTest(124800, 20800), "mnist": trainTest(60000, 10000),
		},
		Licence: "not stated",
		Home:    "https://www.nist.gov/itl/products-and-services/emnist-dataset",
		Files: []File{
			// tfds: url_checksums/emnist.txt, for the same archive at its former
			// address (tensorflow/datasets pull request 5401).
			known("downloads/emnist/gzip.zip", "emnist", 561753746,
				"fb9bb67e33772a9cc0b895e4ecf36d2cf35be8b709693c3564cea2a019fcda8e",
				"https://biometrics.nist.gov/cs_links/EMNIST/gzip.zip"),
		},
		Note: "train and test of the other variants: byclass and bymerge 697932 and 116323 (62 and 47 classes), " +
			"letters 124800 and 20800 (26), digits 240000 and 40000 (10), mnist 60000 and 10000 (10)",
	}
}

func fashionMNIST() Entry {
	// tfds: url_checksums/fashion_mnist.txt; the same digests in torchvision: prototype/datasets/_builtin/mnist.py. The
	// publisher's bucket has no HTTPS, its repository has.
	file := func(name string, bytes int64, sha256 string) File {
		return known("fashionmnist/"+name, "", bytes, sha256,
			"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"+name,
			"https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"+name)
	}
	return Entry{
		Name:    "fashionmnist",
		Title:   "Fashion-MNIST",
		Kind:    Images,
		Shape:   "1×28×28",
		Classes: 10,
		Splits:  trainTest(60000, 10000),
		Licence: "MIT",
		Home:    "https://github.com/zalandoresearch/fashion-mnist",
		Files: []File{
			file("train-images-idx3-ubyte.gz", 26421880,
				"3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"),
			file("train-labels-idx1-ubyte.gz", 29515,
				"a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"),
			file("t10k-images-idx3-ubyte.gz", 4422102,
				"346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"),
			file("t10k-labels-idx1-ubyte.gz", 5148, "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"),
		},
		Note: "in none of the papers",
	}
}
