package tabular

import "testing"

// There is a published size for each table of the benchmarks.
func TestTableSizes(t *testing.T) {
	all := map[string][]TableSize{UciProtocol: PublishedTables()}
	counts := map[string]int{UciProtocol: 121, "clf_num": 16, "clf_cat": 7, "reg_num": 19, "reg_cat": 17}
	for name, want := range counts {
		if all[name] == nil {
			all[name] = BenchmarkTables(name)
		}
		if len(all[name]) != want {
			t.Errorf("%s: %d tables, want %d", name, len(all[name]), want)
		}
		for _, s := range all[name] {
			if s.Name == "" || s.Rows < 1 || s.Features < 1 || (s.Classes > 0) == (name[:3] == "reg") {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}
