package energypaper

import (
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// panelCharts draws the profiles of the pairs, a chart for each panel, with the
// initial profile of the panel's first network.
func panelCharts(pairs []comparedPair, change bool) []study.Chart {
	var names []string
	nets := map[string][]*profiledNet{}
	for _, c := range pairs {
		name := c.panel()
		if nets[name] == nil {
			names = append(names, name)
		}
		for _, n := range []*profiledNet{c.a, c.b} {
			if !slices.Contains(nets[name], n) {
				nets[name] = append(nets[name], n)
			}
		}
	}
	var charts []study.Chart
	for _, name := range names {
		c := profilesChart(nets[name], change)
		c.Name, c.Title = "profiles-"+name, "Energy profiles: "+strings.ReplaceAll(name, "-", " ")
		charts = append(charts, c)
	}
	return charts
}
