// Package data reads labelled image datasets in the formats of their
// publishers, and generates one of its own.
//
// [Open] takes a name or the path of a folder of images:
//
//	cifar10   the CIFAR-10 binary version, 3×32×32
//	mnist     the MNIST IDX files, plain or gzipped, 1×28×28
//	glyphs    generated digits, nothing on disk, 1×28×28
//	PATH      JPEG and PNG files, in a folder per class or all in one folder
//
// # Pixels
//
// A [Dataset] gives float32 pixels in [0,1], in row, column, channel order
// (channels last): the value of channel c at row y and column x of a C×H×W
// image is dst[(y*W+x)*C+c]. A [Normalisation] shifts and scales them. A
// [Loader] reads many images at once, a [Pipeline] the mini-batches of
// training, in random order and augmented.
//
// # Sets made of others
//
// [Subset], [Head] and [Holdout] take some images, [Shifted] moves them, and
// [Relabel], [RandomLabels] and [ComponentLabels] give them other labels. The
// digest of [Describe] tells all of that.
//
// # Folders of images
//
// The folders in a folder are its classes, in the order of their names, and
// the .jpg, .jpeg and .png files in them its images; or the folder holds the
// images itself, and they have no labels. Hidden files are left out, symbolic
// links followed. An image is decoded when it is read, to RGB whatever it was:
// grey is repeated, alpha dropped, and the orientation that EXIF notes is
// ignored. It is scaled and cropped as by torchvision's Resize and CenterCrop;
// Pillow's pixels differ by a grey level at most, of a JPEG by three.
//
// # Errors
//
// What the user can mend comes as a [*NotFoundError] or a [*FormatError],
// whose messages say what was expected, what was found, where, and what to do.
// Input is never trusted: no memory is allocated on the word of a header
// alone, and no file makes the package panic.
//
// # Randomness
//
// There is no global state. What is random is a function of a seed, a named
// stream and an index, so it depends neither on the order of calls nor on the
// number of cores.
package data
