// Package data reads labelled image datasets in their publishers' formats, and
// generates others.
//
// # Where to begin
//
// [Open] opens a [Dataset] by its name, or a folder of images. [Names] lists the
// names; some take arguments: "emnist:letters", "bars:noise=2". A [Loader] reads
// many images at once, and a [Pipeline] makes the mini-batches of training.
// [Measure] and [ParseNormalisation] return a [Normalisation] of the pixels.
//
//	mnist qmnist emnist fashionmnist      IDX files, plain or gzipped, 1×28×28
//	cifar10 cifar100                      binary or pickled, 3×32×32
//	imagenet32                            pickled or NPZ, 3×32×32
//	svhn                                  MATLAB files, 3×32×32
//	stl10                                 binary, 3×96×96
//	pcam                                  HDF5, if the build has it, 3×96×96
//	celeba                                JPEGs and lists, 3×218×178
//	gtsrb dtd caltech101 aircraft imagenet  JPEGs or PPMs of different sizes
//	PATH                                  images, in a folder per class or all in one
//
// Other sets are generated from a seed. The last four are made from another set,
// SET, by default glyphs.
//
//	glyphs                   digits drawn from fonts, 1×28×28
//	bars:noise=1             a white or a black bar in noise, 1×16×32
//	deadleaves               leaves of all sizes, lying or standing: images with
//	                         the statistics of natural ones, 3×32×32
//	deadleaves:disks         round leaves, unlabelled; a second word, textured,
//	                         gives leaves of both kinds stripes
//	streetdigits             digits in random colours, others beside them: 3×32×32
//	heads:attribute=glasses  drawn heads that may wear a hat or glasses or smile,
//	                         3×32×32; with=hat,agree=.9 ties hats to the label
//	noisydigits:SET,noise=1  images anywhere in a frame of noise, 1×42×42
//	sidebyside:SET,SET       pairs of images of the same class, 1×28×56
//	spurious:SET             a patch in a corner is correlated with the label in
//	                         the training split, and not in the test split
//	star:SET,a=CLASS,b=CLASS few images of b and many of a, told apart by a star,
//	                         or with size=K by a square of K×K pixels
//
// Package catalogue says who publishes a set and where, package fetch downloads it,
// package array reads files of arrays, and package table reads tables, which
// [OpenTable] opens. Packages leaves and heads draw images of generated sets.
//
// # Pixels
//
// The pixels of a [Dataset] are float32 in [0,1], except that bars and noisydigits
// have signed noise without bounds. They are in row, column, channel order
// (channels last): the value of channel c at row y and column x of a C×H×W image
// is dst[(y*W+x)*C+c]. A [Normalisation] shifts and scales them.
//
// # Sets made from others
//
// [Subset], [Head], [Balanced] and [Holdout] select images; [Grey] and [Shifted]
// transform them; [Relabel], [RandomLabels] and package patches give them other
// labels. The digest that [Describe] returns covers all of these changes.
//
// # Folders of images
//
// The folders within a folder are its classes, in the order of their names. The
// .jpg, .jpeg, .png, .gif, .bmp, .tif, .tiff, .webp, .ppm and .pgm files in them, and
// in folders below them, are its images, in the order of torchvision's ImageFolder.
// Or the folder holds the images itself, and they have no labels. Open ignores hidden
// files and follows symbolic links; [Skipped] lists all other files. An image is
// decoded to RGB each time it is read: grey is repeated, alpha is dropped, the EXIF
// orientation is ignored, and only the first picture of a GIF counts. It is scaled
// and cropped exactly as by torchvision's Resize and CenterCrop of Pillow's images.
// libjpeg-turbo decodes JPEGs, as in Pillow, if the build has the tag native and the
// library is there; otherwise image/jpeg does, whose pixels differ by up to three
// grey levels. Package imagefile does all this, and its JPEGDecoder says which.
//
// # Larger than memory
//
// [Dataset].Read reads images from disk if each is a file, and those of stl10 and
// pcam. With Pipeline.Block they are shuffled in blocks, so that a disk reads long
// runs. All cores decode images.
//
// # Errors
//
// Errors that the user can correct are a [*NotFoundError] or a [*FormatError]. Their
// messages say what was expected, what was found, where, and what to do. The package
// never trusts a file: a header alone does not make it allocate memory, and no file
// makes it panic.
//
// # Randomness
//
// There is no global state. Every random number is a function of a seed, the name of
// a stream and an index. It does not depend on the order of calls or the number of
// cores.
package data
