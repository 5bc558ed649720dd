package catalogue

// pictures returns the sets of larger photographs, most of which differ in size.
func pictures() []Entry {
	return []Entry{gtsrb(), pcam(), dtd(), caltech101(), aircraft(), celebA(), imageNet()}
}

func gtsrb() Entry {
	// SHA-256 in torchvision: prototype/datasets/_builtin/gtsrb.py. The sizes come
	// from users of the files, who record them beside the same digests.
	file := func(name string, bytes int64, sha256 string) File {
		return known("downloads/gtsrb/"+name, "gtsrb", bytes, sha256,
			"https://sid.erda.dk/public/archives/daaeac0d7ce1152aea9b61d9f1e19370/"+name)
	}
	return Entry{
		Name:    "gtsrb",
		Title:   "German Traffic Sign Recognition Benchmark",
		Papers:  []string{"cnfa"},
		Kind:    Images,
		Shape:   "3×?×?",
		Classes: 43,
		Splits:  trainTest(26640, 12630),
		Licence: "not stated",
		Home:    "https://benchmark.ini.rub.de/gtsrb_dataset.html",
		Files: []File{
			file("GTSRB-Training_fixed.zip", 187490228,
				"df4144942083645bd60b594de348aa6930126c3e0e5de09e39611630abf8455a"),
			file("GTSRB_Final_Test_Images.zip", 88978620,
				"48ba6fab7e877eb64eaf8de99035b0aaecfbc279bee23e35deca4ac1d0a837fa"),
			file("GTSRB_Final_Test_GT.zip", 99620, "f94e5a7614d75845c74c04ddb26b8796b9e483f43541dd95dd5b726504e16d6d"),
		},
		Note: "the training images are those of the online competition, which torchvision uses too; " +
			"GTSRB_Final_Training_Images.zip at the same address adds its test images, 39209 in all",
	}
}

func pcam() Entry {
	// tfds: datasets/patch_camelyon/checksums.tsv; the same digests in
	// torchvision: prototype/datasets/_builtin/pcam.py.
	file := func(part string, bytes int64, sha256 string) File {
		name := "camelyonpatch_level_2_split_" + part + ".h5.gz"
		return known("pcam/"+name, "pcam", bytes, sha256, "https://zenodo.org/records/2546921/files/"+name)
	}
	return Entry{
		Name:    "pcam",
		Title:   "PatchCamelyon",
		Papers:  []string{"cnfa"},
		Kind:    Images,
		Shape:   "3×96×96",
		Classes: 2,
		Splits:  trainValidationTest(262144, 32768, 32768),
		Licence: "CC0 1.0",
		Home:    "https://github.com/basveeling/pcam",
		Files: []File{
			file("train_x", 6421353462, "d619e741468a7ab35c7e4a75e6821b7e7e6c9411705d45708f2a0efc8960656c"),
			file("train_y", 21378, "b74126d2c01b20d3661f9b46765d29cf4e4fba6faba29c8e0d09d406331ab75a"),
			file("valid_x", 805965320, "f82ee1670d027b4ec388048d9eabc2186b77c009655dae76d624c0ecb053ccb2"),
			file("valid_y", 3038, "ce1ae30f08feb468447971cfd0472e7becd0ad96d877c64120c72571439ae48c"),
			file("test_x", 800875929, "79174c2201ad521602a5888be8f36ee10875f37403dd3f2086caf2182ef87245"),
			file("test_y", 3040, "0a522005fccc8bbd04c5a117bfaf81d8da2676f03a29d7499f71d0a0bd6068ef"),
		},
	}
}

func dtd() Entry {
	return Entry{
		Name:     "dtd",
		Title:    "Describable Textures Dataset",
		Papers:   []string{"cnfa"},
		Kind:     Images,
		Shape:    "3×?×?",
		Classes:  47,
		Splits:   trainValidationTest(1880, 1880, 1880),
		Variants: []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"},
		Licence:  "for research purposes",
		Home:     "https://www.robots.ox.ac.uk/~vgg/data/dtd/",
		Files: []File{
			// tfds: url_checksums/dtd.txt.
			known("downloads/dtd/dtd-r1.0.1.tar.gz", "dtd", 625239812,
				"e42855a52a4950a3b59612834602aa253914755c95b0cff9ead6d07395f8e205",
				"https://www.robots.ox.ac.uk/~vgg/data/dtd/download/dtd-r1.0.1.tar.gz"),
		},
		Note: "the variants are the publisher's ten partitions into the three splits",
	}
}

func caltech101() Entry {
	return Entry{
		Name:    "caltech101",
		Title:   "Caltech 101",
		Papers:  []string{"cnfa"},
		Kind:    Images,
		Shape:   "3×?×?",
		Classes: 101,
		Splits:  []Split{{Name: "all", Size: 8677}},
		Licence: "CC BY 4.0",
		Home:    "https://data.caltech.edu/records/mzrjq-6wc02",
		Files: []File{
			// tfds: datasets/caltech101/checksums.tsv.
			known("downloads/caltech101/caltech-101.zip", "caltech101", 137414764,
				"331234750fc7f77520e50d9565e8b6907b03565e30320da1401130db08c61f91",
				"https://data.caltech.edu/records/mzrjq-6wc02/files/caltech-101.zip?download=1"),
		},
		// Only Google Drive has the inner archive alone, and answers a plain request
		// with a page. The archive's digest is in the same file of tfds.
		ByHand: "the archive holds another: unpack caltech101/caltech-101/101_ObjectCategories.tar.gz " +
			"(131740031 bytes, SHA-256 af6ece2f339791ca20f855943d8b55dd60892c0a25105fcd631ee3d6430f9926) into the " +
			"folder caltech101",
		Note: "no published split; 9144 images with the background class BACKGROUND_Google, which is left out",
	}
}

func aircraft() Entry {
	return Entry{
		Name:     "aircraft",
		Title:    "FGVC-Aircraft",
		Papers:   []string{"cnfa"},
		Kind:     Images,
		Shape:    "3×?×?",
		Classes:  100,
		Splits:   trainValidationTest(3334, 3333, 3333),
		Variants: []string{"variant", "family", "manufacturer"},
		Licence:  "non-commercial research only",
		Home:     "https://www.robots.ox.ac.uk/~vgg/data/fgvc-aircraft/",
		Files: []File{
			// Five public scripts that check the archive have this digest, one of them also this size. Its MD5,
			// d4acdd33327262359767eeaa97a4f732, is in mlverse/torchvision: R/dataset-fgvc.R. The digest that tfds has
			// in url_checksums/fgvc.txt is of the tar without gzip.
			known("downloads/aircraft/fgvc-aircraft-2013b.tar.gz", ".", 2753340328,
				"e4e323d410e29f0370c81eabdcbb0e2b813acea1de22891b70b58ff41bfc9834",
				"https://www.robots.ox.ac.uk/~vgg/data/fgvc-aircraft/archives/fgvc-aircraft-2013b.tar.gz"),
		},
		Note: "family has 70 classes, manufacturer 30; the lowest 20 rows of an image name its photographer",
	}
}
