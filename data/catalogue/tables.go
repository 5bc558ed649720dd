package catalogue

// tables returns the collections of tables.
func tables() []Entry { return []Entry{uci121(), grinsztajn()} }

func uci121() Entry {
	return Entry{
		Name:    "uci121",
		Title:   "The 121 classification sets of Fernández-Delgado et al. 2014",
		Papers:  []string{"rfm"},
		Kind:    Tables,
		Licence: "not stated; each set has its own, most of the UCI repository",
		Home:    "https://jmlr.org/papers/v15/delgado14a.html",
		Files: []File{{
			// Neither a digest nor an exact size is published; it has about 195 MB.
			Path: "downloads/uci121/data.tar.gz",
			Into: "uci121",
			URLs: []string{
				"https://persoal.citius.usc.es/manuel.fernandez.delgado/papers/jmlr/data.tar.gz",
				"http://persoal.citius.usc.es/manuel.fernandez.delgado/papers/jmlr/data.tar.gz",
			},
		}},
		Note: "a folder per set, such as uci121/iris, with its table and the folds of the benchmark",
	}
}

func grinsztajn() Entry {
	return Entry{
		Name:    "grinsztajn",
		Title:   "The tabular benchmark of Grinsztajn, Oyallon and Varoquaux 2022",
		Papers:  []string{"rfm"},
		Kind:    Tables,
		Licence: "not stated; each set has its own, see its page at OpenML",
		Home:    "https://github.com/LeoGrin/tabular-benchmark",
		ByHand: "get the sets as CSV with git and its extension LFS: " +
			"git clone https://huggingface.co/datasets/inria-soda/tabular-benchmark grinsztajn, in the data folder; " +
			"or from https://www.openml.org/d/ID, for the IDs of the suites, as ARFF or Parquet, into the folder " +
			"grinsztajn",
		Note: "59 tables in the suites 334 to 337; the paper rfm used the older suites 297, 298, 299 and 304",
	}
}
