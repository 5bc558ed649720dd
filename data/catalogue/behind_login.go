package catalogue

// These sets can be downloaded only after agreeing to terms.

func celebA() Entry {
	return Entry{
		Name:     "celeba",
		Title:    "CelebFaces Attributes (CelebA), aligned and cropped",
		Papers:   []string{"rfm", "energy"},
		Kind:     Images,
		Shape:    "3×218×178",
		Classes:  2,
		Splits:   trainValidationTest(162770, 19867, 19962),
		Variants: celebAttributes(),
		Licence:  "non-commercial research only",
		Home:     "https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html",

		// tfds: datasets/celeb_a/checksums.tsv.
		ByHand: "agree to the terms at https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html, follow its links to " +
			"Google Drive or Baidu and get " +
			"img_align_celeba.zip (1443490838 bytes, SHA-256 " +
			"46fb89443c578308acf364d7d379fe1b9efb793042c0af734b6112e4fd3a8c74), " +
			"list_attr_celeba.txt (26721026 bytes, SHA-256 " +
			"f0e5da289d5ccf75ffe8811132694922b60f2af59256ed362afa03fefba324d0) and " +
			"list_eval_partition.txt (2836386 bytes, SHA-256 " +
			"fc955bcb3ef8fbdf7d5640d9a8693a8431b5f2ee291a5c1449a1549e7e073fe7); " +
			"put the two lists into the folder celeba and unpack the archive there, which gives " +
			"celeba/img_align_celeba",
		Note: "each variant is one of the 40 attributes, present or not",
	}
}

// celebAttributes returns the attributes of CelebA in the order of their file.
func celebAttributes() []string {
	return []string{
		"5_o_Clock_Shadow", "Arched_Eyebrows", "Attractive", "Bags_Under_Eyes", "Bald",
		"Bangs", "Big_Lips", "Big_Nose", "Black_Hair", "Blond_Hair",
		"Blurry", "Brown_Hair", "Bushy_Eyebrows", "Chubby", "Double_Chin",
		"Eyeglasses", "Goatee", "Gray_Hair", "Heavy_Makeup", "High_Cheekbones",
		"Male", "Mouth_Slightly_Open", "Mustache", "Narrow_Eyes", "No_Beard",
		"Oval_Face", "Pale_Skin", "Pointy_Nose", "Receding_Hairline", "Rosy_Cheeks",
		"Sideburns", "Smiling", "Straight_Hair", "Wavy_Hair", "Wearing_Earrings",
		"Wearing_Hat", "Wearing_Lipstick", "Wearing_Necklace", "Wearing_Necktie", "Young",
	}
}

func imageNet() Entry {
	return Entry{
		Name:     "imagenet",
		Title:    "ImageNet, ILSVRC 2012",
		Papers:   []string{"cnfa", "energy", "ntk"},
		Kind:     Images,
		Shape:    "3×?×?",
		Classes:  1000,
		Splits:   []Split{{Name: "train", Size: 1281167}, {Name: "validation", Size: 50000}},
		Variants: []string{"snakes"},
		Of:       map[string][]Split{"snakes": nil},
		Licence:  "non-commercial research and education only",
		Home:     "https://image-net.org/",

		// tfds: url_checksums/imagenet2012.txt; the same digests, and that of the
		// development kit, in torchvision: prototype/datasets/_builtin/imagenet.py.
		ByHand: "log in at https://image-net.org/download-images, agree to its terms and get, of ILSVRC 2012, " +
			"ILSVRC2012_img_train.tar (147897477120 bytes, SHA-256 " +
			"b08200a27a8e34218a0e58fde36b0fe8f73bc377f4acea2d91602057c3ca45bb), " +
			"ILSVRC2012_img_val.tar (6744924160 bytes, SHA-256 " +
			"c7e06a6c0baccf06d8dbeb6577d71efff84673a5dbdd50633ab44f8ea0456ae0) and " +
			"ILSVRC2012_devkit_t12.tar.gz (SHA-256 " +
			"b59243268c0d266621fd587d2018f69e906fb22875aca0e295b48cafaa927953); " +
			"unpack the tar of each class into a folder imagenet/train/WNID such as imagenet/train/n01440764, and " +
			"put each validation image into the folder imagenet/val/WNID of the class that the development kit " +
			"gives it, as torchvision's ImageNet does",
		Note: "snakes is ten classes of snakes; the paper ntk gives its own list in a supplement that we do not have",
	}
}
