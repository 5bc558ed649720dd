package tabular

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/rfm"
)

// TableSize is a table of a benchmark, as far as the time of fits is concerned.
type TableSize struct {
	Name           string
	Rows, Features int
	Classes        int // 0 of a regression
}

// Job is what all methods of a spec take on a table.
func (s Spec) Job(t TableSize) cost.Table {
	s = s.WithDefaults()
	j := cost.Table{Data: float64(t.Rows) * float64(t.Features)}
	for _, name := range s.Methods {
		if m := findMethod(name); m != nil {
			for _, f := range s.fits(m, t) {
				f.addTo(&j, t)
			}
		}
	}
	return j
}

// tableFits are fits of a table that are alike.
type tableFits struct {
	count, train, scored int
	iterations           float64
	depth                int // of an NTK, 0 of others
}

// fits are those that a protocol asks for of a method. The features of what was
// chosen are learned anew on a fold, as often as half of the iterations, about.
func (s Spec) fits(m *tabularMethod, t TableSize) []tableFits {
	iterations := 0.
	if m.learns {
		iterations = float64(s.Iters)
	}
	var all []tableFits
	add := func(grid []Config, repeats, train, scored int) {
		for _, c := range grid {
			depth := 0
			if k, err := rfm.ParseKernel(c.Kernel, c.Bandwidth); err == nil {
				if ntk, is := k.(rfm.NTK); is {
					depth = ntk.Depth
				}
			}
			all = append(all, tableFits{repeats, train, scored, iterations, depth})
		}
	}
	last := func(repeats, train, scored int, share float64) {
		all = append(all, tableFits{repeats, train, scored, share * iterations, medianDepth(all)})
	}
	if s.Protocol == GrinsztajnProtocol {
		train := min(int(GrinsztajnShare*float64(t.Rows)), s.mostRows())
		left := min((t.Rows-train)/2, mostLargeRows)
		grid := m.grinsztajnGrid(taskOf(t), s.Size == LargeSize)
		add(drawConfigs(grid, s.Configs, s.Seed, t.Name, m.name), s.Repeats, train, left)
		last(s.Repeats, train, left, .5)
		return all
	}
	grid, fold := m.uciGrid(t.Rows, true), t.Rows*(foldCount-1)/foldCount
	if s.PaperMode {
		add(grid, 1, t.Rows/2, t.Rows/2)
		last(foldCount, fold, t.Rows-fold, 0)
		return all
	}
	tuned := int((1 - validationShare) * float64(fold))
	add(grid, foldCount, tuned, fold-tuned)
	last(foldCount, fold, t.Rows-fold, .5)
	return all
}

// GrinsztajnShare is the share of the rows that the benchmark of Grinsztajn et al.
// trains on, at most so many; see [table.GrinsztajnSplit].
const (
	GrinsztajnShare = .7
	MostMediumRows  = 10_000
	mostLargeRows   = 50_000
)

func (s Spec) mostRows() int {
	if s.Size == LargeSize {
		return mostLargeRows
	}
	return MostMediumRows
}

func taskOf(t TableSize) rfm.Task {
	if t.Classes > 0 {
		return rfm.Classification
	}
	return rfm.Regression
}

func medianDepth(fits []tableFits) int {
	var depths []int
	for _, f := range fits {
		depths = append(depths, f.depth)
	}
	if len(depths) == 0 {
		return 0
	}
	slices.Sort(depths)
	return depths[len(depths)/2]
}

// addTo adds what the fits take.
func (f tableFits) addTo(j *cost.Table, t TableSize) {
	count, n, d := float64(f.count), float64(f.train), float64(t.Features)
	regressions, pairs := f.iterations+1, n*(n+float64(f.scored))
	j.Fits += count * regressions
	if f.train > directRows {
		j.Passes += count * regressions * agreedEpochs * n * n * d
	} else {
		j.Cubes += count * regressions * n * n * n
		j.Rows = max(j.Rows, n)
	}
	if f.depth > 0 {
		j.Depths += count * pairs * float64(f.depth)
	} else {
		j.Pairs += count * regressions * pairs
	}
	j.Wide += count * regressions * pairs * d
	j.AGOPs += count * f.iterations * n * min(n, agopRows) * d * float64(max(1, t.Classes))
}

// Size returns what the cost of a table that was read depends on.
func (p *Planned) Size() TableSize {
	return TableSize{p.Name, p.record.Rows, p.record.Features, p.record.Classes}
}

// PublishedTables are about the 121 of Fernández-Delgado et al., for estimates alone:
// the sizes of the larger ones were written down without the files, which were not at
// hand to check them, and the others are taken to be alike.
func PublishedTables() []TableSize {
	all := []TableSize{
		{"miniboone", 130064, 50, 2}, {"connect-4", 67557, 42, 2}, {"statlog-shuttle", 58000, 9, 7},
		{"adult", 48842, 14, 2},
		{"chess-krvk", 28056, 6, 18}, {"letter", 20000, 16, 26}, {"magic", 19020, 10, 2}, {"nursery", 12960, 8, 5},
		{"pendigits", 10992, 16, 10}, {"mushroom", 8124, 21, 2}, {"ringnorm", 7400, 20, 2}, {"twonorm", 7400, 20, 2},
		{"thyroid", 7200, 21, 3}, {"musk-2", 6598, 166, 2}, {"statlog-landsat", 6435, 36, 6}, {"optical", 5620, 62, 10},
		{"page-blocks", 5473, 10, 5}, {"wall-following", 5456, 24, 4}, {"waveform", 5000, 21, 3},
		{"waveform-noise", 5000, 40, 3},
		{"wine-quality-white", 4898, 11, 7}, {"spambase", 4601, 57, 2}, {"bank", 4521, 16, 2}, {"abalone", 4177, 8, 3},
		{"chess-krvkp", 3196, 36, 2}, {"molec-biol-splice", 3190, 60, 3}, {"ozone", 2536, 72, 2},
		{"image-segmentation", 2310, 18, 7},
		{"statlog-image", 2310, 18, 7}, {"titanic", 2201, 3, 2}, {"cardiotocography-3clases", 2126, 21, 3},
		{"cardiotocography-10clases", 2126, 21, 10},
		{"steel-plates", 1941, 27, 7}, {"car", 1728, 6, 4}, {"plant-margin", 1600, 64, 100},
		{"plant-shape", 1600, 64, 100},
		{"plant-texture", 1599, 64, 100}, {"wine-quality-red", 1599, 11, 6}, {"semeion", 1593, 256, 10},
		{"yeast", 1484, 8, 10},
		{"contrac", 1473, 9, 3}, {"hill-valley", 1212, 100, 2}, {"oocytes_trisopterus", 912, 32, 3},
		{"oocytes_merluccius", 1022, 41, 3},
		{"led-display", 1000, 7, 10}, {"statlog-german-credit", 1000, 24, 2},
	}
	for len(all) < 121 {
		all = append(all, TableSize{"another", 300, 20, 3})
	}
	return all
}

// BenchmarkTables are about those of Grinsztajn et al., by folder, categorical
// variables counted once.
var BenchmarkTables = map[string][]TableSize{
	"clf_num": {
		{"electricity", 38474, 7, 2}, {"covertype", 566602, 10, 2}, {"pol", 10082, 26, 2}, {"house_16H", 13488, 16, 2},
		{"MagicTelescope", 13376, 10, 2},
		{"bank-marketing", 10578, 7, 2}, {"Bioresponse", 3434, 419, 2}, {"MiniBooNE", 72998, 50, 2},
		{"default-of-credit-card-clients", 13272, 20, 2},
		{"Higgs", 940160, 24, 2}, {"eye_movements", 7608, 20, 2}, {"Diabetes130US", 71090, 7, 2},
		{"jannis", 57580, 54, 2}, {"heloc", 10000, 22, 2},
		{"credit", 16714, 10, 2}, {"california", 20634, 8, 2},
	},
	"clf_cat": {
		{"electricity", 38474, 8, 2}, {"eye_movements", 7608, 23, 2}, {"covertype", 423680, 54, 2},
		{"albert", 58252, 31, 2},
		{"default-of-credit-card-clients", 13272, 21, 2}, {"road-safety", 111762, 32, 2},
		{"compas-two-years", 4966, 11, 2},
	},
	"reg_num": {
		{"cpu_act", 8192, 21, 0}, {"pol", 15000, 26, 0}, {"elevators", 16599, 16, 0}, {"wine_quality", 6497, 11, 0},
		{"Ailerons", 13750, 33, 0},
		{"yprop_4_1", 8885, 42, 0}, {"houses", 20640, 8, 0}, {"house_16H", 22784, 16, 0},
		{"delays_zurich_transport", 5465575, 9, 0},
		{"diamonds", 53940, 6, 0}, {"Brazilian_houses", 10692, 8, 0}, {"Bike_Sharing_Demand", 17379, 6, 0},
		{"nyc-taxi-green-dec-2016", 581835, 9, 0},
		{"house_sales", 21613, 15, 0}, {"sulfur", 10081, 6, 0}, {"medical_charges", 163065, 5, 0},
		{"MiamiHousing2016", 13932, 14, 0},
		{"superconduct", 21263, 79, 0}, {"abalone", 4177, 7, 0},
	},
	"reg_cat": {
		{"topo_2_1", 8885, 255, 0}, {"analcatdata_supreme", 4052, 7, 0}, {"visualizing_soil", 8641, 4, 0},
		{"diamonds", 53940, 9, 0},
		{"Mercedes_Benz_Greener_Manufacturing", 4209, 359, 0}, {"Brazilian_houses", 10692, 11, 0},
		{"Bike_Sharing_Demand", 17379, 11, 0},
		{"Airlines_DepDelay_1M", 1000000, 5, 0}, {"nyc-taxi-green-dec-2016", 581835, 16, 0},
		{"Allstate_Claims_Severity", 188318, 124, 0},
		{"house_sales", 21613, 17, 0}, {"particulate-matter-ukair-2017", 394299, 6, 0},
		{"SGEMM_GPU_kernel_performance", 241600, 9, 0},
		{"seattlecrime6", 52031, 4, 0}, {"medical_charges", 163065, 5, 0}, {"delays_zurich_transport", 5465575, 11, 0},
		{"abalone", 4177, 8, 0},
	},
}
