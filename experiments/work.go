package experiments

import (
	"math"
	"strings"
)

// The work of specs is in floating-point operations, to the accuracy that an
// estimate of time needs: the leading terms, as they were found to weigh.

// imagesOf is how many images of a set are trained on where a spec says n, and 0
// says all; NaN of sets of which the number is not written here.
func imagesOf(set string, n int) float64 {
	if n > 0 {
		return float64(n)
	}
	name, _, _ := strings.Cut(set, ":")
	all, known := map[string]float64{"mnist": 60000, "fashionmnist": 60000, "cifar10": 50000, "cifar100": 50000, "svhn": 73257}[name]
	if !known {
		return math.NaN()
	}
	return all
}

// imagePixels is how many pixels an image has that is scaled to a size; most sets
// have images of about the size of CIFAR-10's.
func imagePixels(size int) float64 {
	if size == 0 {
		size = 32
	}
	return float64(size * size)
}

// imageInputs is about how many numbers an image is, where it does not matter much.
const imageInputs = 2000

// rfmWork is that of a recursive feature machine: of every iteration distances, the
// solution and the AGOP.
func rfmWork(n, inputs float64, iterations int) float64 {
	return float64(iterations+1) * (n*n*n/3 + 10*n*n*inputs)
}

// kernelBytes are those of kernels of n examples, and of the examples.
func kernelBytes(n, inputs float64) float64 { return 16*n*n + 40*n*inputs }

// work is that of a fully connected network of some hidden layers.
func (s NetworkSpec) work(n, inputs float64, hidden int) float64 {
	w := float64(s.Width)
	return 6 * float64(s.Epochs) * n * (inputs*w + float64(hidden-1)*w*w)
}

// work is that of a convolutional kernel machine on images of so many pixels.
func (s PatchMachineSpec) work(n, pixels float64) float64 {
	return convRFMWork(n, pixels, s.Sample, s.Iterations, max(1, s.Layers))
}

// convRFMWork is that of the kernels and the patch-AGOPs of all layers, the latter
// over so many images, 0 for all.
func convRFMWork(n, pixels float64, sample, iterations, layers int) float64 {
	m := n
	if sample > 0 {
		m = min(n, float64(sample))
	}
	return float64(layers*(iterations+1)) * pixels * (1000*n*n + 8000*n*m)
}

// cnnWork is that of a network of three convolutions of 64 filters.
func cnnWork(n, pixels float64, epochs int) float64 {
	return 4.5e5 * float64(epochs) * n * pixels
}

// sumOfSquares is what the work of networks of several widths grows with.
func sumOfSquares(widths []float64) float64 {
	sum := 0.
	for _, w := range widths {
		sum += w * w
	}
	return sum
}

// Work implements [Worker].
func (s *PolynomialSpec) Work() float64 { return rfmWork(float64(s.Train), 100, s.Iterations) }

// Bytes implements [Sized].
func (s *PolynomialSpec) Bytes() float64 { return kernelBytes(float64(s.Train), 100) }

// Work implements [Worker].
func (s *LowRankSpec) Work() float64 {
	return rfmWork(float64(s.Train), 100, s.Iterations) + s.Net.work(float64(s.Train), 100, 1)
}

// Bytes implements [Sized].
func (s *LowRankSpec) Bytes() float64 { return kernelBytes(float64(s.Train), 100) }

// Work implements [Worker].
func (s *DepthSpec) Work() float64 {
	sum := 0.
	for depth := range s.Depths {
		sum += s.Net.work(float64(s.Train), 100, depth+1) + rfmWork(float64(s.Train), 100, 0)
	}
	return sum
}

// Work implements [Worker].
func (s *ImageDepthSpec) Work() float64 {
	sum, n := 0., imagesOf(s.Data, s.Train)
	for depth := range s.Depths {
		sum += s.Net.work(n, imageInputs, depth+1) + rfmWork(n, imageInputs, 0)
	}
	return sum
}

// Work implements [Worker].
func (s *CentreSpec) Work() float64 {
	n := imagesOf(s.Data, s.Train)
	return rfmWork(n, imageInputs, s.Iterations) + s.Net.work(n, imageInputs, 1)
}

// Bytes implements [Sized].
func (s *CentreSpec) Bytes() float64 { return kernelBytes(imagesOf(s.Data, s.Train), imageInputs) }

// Work implements [Worker].
func (s *GrokkingSpec) Work() float64 {
	n := float64(s.Train)
	return rfmWork(n, imageInputs, s.Iterations) + s.Net.work(n, imageInputs, 1)
}

// Work implements [Worker].
func (s *SimplicitySpec) Work() float64 {
	n := imagesOf(s.Data, s.Train)
	return rfmWork(n, imageInputs, s.Iterations) + s.Net.work(n, imageInputs, 1)
}

// Bytes implements [Sized].
func (s *SimplicitySpec) Bytes() float64 { return kernelBytes(imagesOf(s.Data, s.Train), imageInputs) }

// Work implements [Worker].
func (s *SpuriousSpec) Work() float64 {
	n := imagesOf(s.Data, s.Train)
	return rfmWork(n, imageInputs, s.Iterations) + s.Net.work(n, imageInputs, 1)
}

// Bytes implements [Sized].
func (s *SpuriousSpec) Bytes() float64 { return kernelBytes(imagesOf(s.Data, s.Train), imageInputs) }

// imageInputsOf is how many numbers a colour image is that is scaled to a size.
func imageInputsOf(t ImageTask) float64 { return 3 * imagePixels(t.Size) }

// Work implements [Worker].
func (s *FeaturesSpec) Work() float64 {
	sum := 0.
	for _, t := range s.Tasks {
		n := imagesOf(t.Data, s.Train)
		sum += rfmWork(n, imageInputsOf(t), s.Iterations) + s.Net.work(n, imageInputsOf(t), 1)
	}
	return sum
}

// Work implements [Worker].
func (s *TicketsSpec) Work() float64 {
	sum := 0.
	for _, t := range s.Tasks {
		sum += rfmWork(imagesOf(t.Data, s.Train), imageInputsOf(t), s.Iterations)
	}
	return sum
}

// Work implements [Worker].
func (s *LowRankPanelsSpec) Work() float64 { return s.Signs.Work() + s.Hermite.Work() }

// Bytes implements [Sized].
func (s *LowRankPanelsSpec) Bytes() float64 { return max(s.Signs.Bytes(), s.Hermite.Bytes()) }
