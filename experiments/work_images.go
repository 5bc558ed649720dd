package experiments

// Work implements [Worker].
func (s *ConvFeaturesSpec) Work() float64 {
	n, p := float64(s.Task.Train), imagePixels(s.Task.Size)
	return s.Deep.work(n, p) + s.Laplace.work(n, p) + cnnWork(n, p, s.Net.Epochs)
}

// Work implements [Worker].
func (s *SeenSpec) Work() float64 {
	sum := 0.
	for _, t := range s.Tasks {
		n, p := float64(t.Train), imagePixels(t.Size)
		sum += s.Machine.work(n, p) + cnnWork(n, p, s.Net.Epochs)
	}
	return sum
}

// Work implements [Worker].
func (s *EdgesSpec) Work() float64 {
	sum := 0.
	for i, m := range s.Machines {
		n, p := float64(m.Task.Train), imagePixels(m.Task.Size)
		sum += m.Machine.work(n, p)
		if i == 0 {
			sum += cnnWork(n, p, s.Net.Epochs)
		}
	}
	return sum
}

// work is that of the machines and networks of a task.
func (s SweepSpec) work(images SweepImages, size int) float64 {
	m, n, p := s.Machines, float64(images.Train), imagePixels(size)
	return convRFMWork(n, p, m.Sample, m.Iterations, m.Layers) + cnnWork(n, p, s.Net.Epochs)
}

// Work implements [Worker].
func (s *NoiseSpec) Work() float64 {
	sum := 0.
	for _, t := range s.Tasks {
		sum += float64(len(t.Noise)) * s.Sweep.work(t.Images, 0)
	}
	return sum
}

// Work implements [Worker].
func (s *SetsSpec) Work() float64 {
	sum := 0.
	for _, t := range s.Sets {
		sum += s.Sweep.work(s.Images, t.Size)
	}
	return sum
}

// Work implements [Worker]. All tasks have networks of one kind.
func (s *GapSpec) Work() float64 {
	sum := 0.
	for _, t := range s.Tasks {
		sum += imagesOf(t.Data, t.Train) * sumOfSquares(t.Widths) * imagePixels(t.Size)
	}
	return float64(s.Epochs) * sum * float64(1+len(s.Linear))
}

// Work implements [Worker].
func (s *BinarySpec) Work() float64 {
	return float64(s.Epochs) * imagesOf(s.Data, s.Train) * sumOfSquares(s.Widths)
}

// Work implements [Worker].
func (s *KernelChangeSpec) Work() float64 {
	return float64(s.Epochs) * imagesOf(s.Data, s.Train) * sumOfSquares(s.Widths)
}

// Work implements [Worker]: the kernels, and their singular values.
func (s *KernelsSpec) Work() float64 {
	sum := 0.
	for _, t := range s.Tasks {
		n := float64(t.Images)
		sum += n*n*sumOfSquares(t.Widths)*imagePixels(t.Size)*2000 + float64(len(t.Widths))*1e5*n*n*n
	}
	return sum
}

// Work implements [Worker].
func (s *ThresholdSpec) Work() float64 {
	n := imagesOf(s.Data, s.Train)
	return n * n * n * float64(len(s.Widths))
}

// Bytes implements [Sized].
func (s *ThresholdSpec) Bytes() float64 { return kernelBytes(imagesOf(s.Data, s.Train), imageInputs) }

// Work implements [Worker].
func (s *PoolingSpec) Work() float64 {
	width := s.Width
	if width == 0 {
		width = 1
	}
	sum := 0.
	for _, set := range s.Sets {
		for _, patch := range s.Patches {
			sum += float64(patch*patch) * imagePixels(set.Size)
		}
	}
	return sum * width * width * float64(len(s.Poolings)*s.Lessons.Train*s.Lessons.Epochs)
}
