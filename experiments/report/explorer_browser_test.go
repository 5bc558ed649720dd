package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"github.com/ansatz-lab/ansatz/internal/chromium"
	"gonum.org/v1/gonum/mat"
)

// explored returns the document of a network of two branches and a classifier at two times. The values of the last
// layer are undefined.
func explored() *explorer.Document {
	d := &explorer.Document{
		Measures: []string{"Pearson", "cosine"},
		Wiring: []explorer.Joint{
			{Op: "input"}, {Op: "conv", Layers: []string{"conv1"}, From: []int{0}},
			{Op: "conv", Layers: []string{"a long name of a layer.conv2"}, From: []int{1}},
			{Op: "add", From: []int{1, 2}}, {Op: "linear", Layers: []string{"linear"}, From: []int{3}},
			{Op: "output", From: []int{4}},
		},
		Images: []explorer.Image{explorer.NewImage(4, 4, 1, make([]float64, 16), 4)},
		Layers: []explorer.Layer{
			{Name: "conv1", Kind: "conv", Filters: 3, Patch: []int{3, 2, 2}},
			{Name: "a long name of a layer.conv2", Kind: "conv", Filters: 3, Patch: []int{1, 2, 2}},
			{Name: "linear", Kind: "linear", Filters: 2, Patch: []int{8}},
		},
	}
	spectrum := func(n int) *explorer.Spectrum {
		s := explorer.NewSpectrum([]float64{3, 1}, 2, mat.NewDense(2, n, nil))
		for range 2 {
			s.Seen = append(s.Seen, []explorer.Spot{{Row: .5, Column: .5, Height: .5, Width: .5, Response: 2}})
		}
		return s
	}
	value := func(v float64) explorer.Value {
		return explorer.Value{Value: explorer.Number(v), StdErr: explorer.Number(.01), Null: explorer.Number(.5),
			NullSD: explorer.Number(.02), Draws: []float32{.48, .5, .52}}
	}
	for time, v := range []float64{.5, .9} {
		first := explorer.Point{Values: []explorer.Value{value(v), value(v - .1)}, CNFM: spectrum(12), AGOP: spectrum(12),
			Cosines: [][]float32{{.1, .9}, {.8, -.2}}, Angles: []float32{20, 30}, NullAngles: []float32{50, 70}}
		second := first
		second.CNFM, second.AGOP = spectrum(4), spectrum(4)
		d.Add(fmt.Sprintf("step %d", 10*time), []explorer.Point{first, second, {Values: make([]explorer.Value, 2)}})
	}
	return d
}

// TestBrowserExplorer uses the explorer as people do. It fits into any window. A click or the keyboard chooses a layer,
// and the slider a time. The address contains these choices, and a second record can be compared.
func TestBrowserExplorer(t *testing.T) {
	t.Parallel()
	b := chromium.Open(t)
	page := Page{Title: "Explored", Sections: []Section{{Explorer: explored()}}}
	path, err := page.Save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	url := "file://" + filepath.ToSlash(path)
	for _, width := range []int{360, 390, 768, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			b.Load(url, width, 850, scheme)
			checkFits(t, b, width)
		}
	}
	expect := func(what, expression, want string) {
		t.Helper()
		var got string
		b.Eval(expression, &got)
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	heading := `document.querySelector('#explorer .detail h3').textContent`
	said := `document.querySelector('#explorer .detail .said').textContent`
	expect("the layer at first", heading, "conv1")
	expect("its sentence", said,
		"Convolution, 3 filters on patches of 3×2×2. Pearson 0.900 ± 0.010, null 0.500 ± 0.020, excess +0.400.")
	expect("the order of eigenvectors",
		`[...document.querySelectorAll('#explorer .vectors tr:last-child td')].map(c => c.textContent).join()`, "37°,26°")

	b.Eval(`document.querySelectorAll('#explorer .layer')[1].dispatchEvent(new MouseEvent('click', {bubbles: true}))`, nil)
	expect("the layer after a click", heading, "a long name of a layer.conv2")
	b.Eval(`document.querySelectorAll('#explorer .layer')[1].focus()`, nil)
	b.Press("ArrowRight", 39)
	b.Press("Enter", 13)
	expect("the layer from the keyboard", heading, "linear")
	expect("what is not defined", said, "Linear layer, 2 filters on 8 features. The similarity is not defined.")

	b.Eval(`{const s = document.querySelector('#explorer .time input'); s.value = 0; s.dispatchEvent(new Event('input'))}`, nil)
	b.Eval(`{const s = document.querySelector('#explorer select'); s.value = 1; s.dispatchEvent(new Event('change'))}`, nil)
	expect("the address", `decodeURIComponent(location.hash).replaceAll('+', ' ')`,
		"#explorer&layer=linear&measure=cosine&show=excess&time=step 0")
	b.Eval(`new Promise(done => {
		addEventListener('hashchange', done, {once: true});
		location.hash = '#explorer&layer=conv1&measure=cosine&show=normalised&time=step+10';
	}).then(() => null)`, nil)
	expect("from the address", said,
		"Convolution, 3 filters on patches of 3×2×2. Cosine 0.800 ± 0.010, null 0.500 ± 0.020, excess +0.300.")
	expect("the normalised excess", `document.querySelector('#explorer .layer .number').textContent`, "+0.600")

	for content, note := range map[string]string{
		`{"page": {"explorer": {"measures": ["cosine"], "times": ["x"], "layers": [{"name": "conv1", "points":
			[{"values": [{"value": 0.7, "null": 0.5, "null_sd": 0.1}]}]}]}}}`: "1 layer of 3 occurs in both records; its right half and dashed lines show record.json.",
		`{"layers": []}`: "cannot be compared",
		`not JSON`:       "cannot be compared",
	} {
		b.Eval(fmt.Sprintf(`new Promise(done => {
			const changed = {childList: true, characterData: true, subtree: true};
			new MutationObserver(done).observe(document.querySelector('#explorer .note'), changed);
			const t = new DataTransfer();
			t.items.add(new File([%q], 'record.json'));
			dispatchEvent(new DragEvent('drop', {dataTransfer: t, cancelable: true}));
		}).then(() => null)`, content), nil)
		var got string
		b.Eval(`document.querySelector('#explorer .note').textContent`, &got)
		if !strings.Contains(got, note) {
			t.Errorf("%s: %q, want %q", content, got, note)
		}
	}
	if err := b.Troubles(); err != nil {
		t.Error(err)
	}
}

// TestBrowserExplorerCompares checks that the numbers of both records stand within their halves of the box of a layer.
func TestBrowserExplorerCompares(t *testing.T) {
	t.Parallel()
	b := chromium.Open(t)
	d := explored()
	for time, v := range []float64{.9958, .9968} {
		d.Layers[0].Points[time].Values[0] = explorer.Value{Value: explorer.Number(v), Null: explorer.Number(.996),
			NullSD: explorer.Number(.0004), Draws: []float32{.9959, .9961}}
	}
	page := Page{Title: "Compared", Sections: []Section{{Explorer: d}}}
	path, err := page.Save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b.Load("file://"+filepath.ToSlash(path), 1280, 850, "light")
	var got struct {
		Texts, Beyond string
		Ticks         []string
	}
	b.Eval(`new Promise(done => {
		const note = document.querySelector('#explorer .note');
		new MutationObserver(() => setTimeout(done)).observe(note, {childList: true});
		const t = new DataTransfer(), own = document.getElementById('explorer-data').textContent;
		t.items.add(new File([JSON.stringify({page: {explorer: JSON.parse(own)}})], 'record.json'));
		dispatchEvent(new DragEvent('drop', {dataTransfer: t, cancelable: true}));
	}).then(() => {
		const layer = document.querySelector('#explorer .layer'), rect = layer.querySelector('rect').getBoundingClientRect();
		const middle = rect.left + rect.width / 2, numbers = [...layer.querySelectorAll('.number')];
		const beyond = numbers.filter((n, i) => {
			const at = n.getBoundingClientRect();
			return at.left < (i ? middle : rect.left) || at.right > (i ? rect.right : middle);
		});
		return {Texts: numbers.map(n => n.textContent).join(' '), Beyond: beyond.map(n => n.textContent).join(' '),
			Ticks: [...document.querySelectorAll('#explorer .plot')].map(p => [...p.querySelectorAll('.tick')].map(n => n.textContent).join(' '))};
	})`, &got)
	if got.Texts != "+0.001 +0.001" || got.Beyond != "" {
		t.Errorf("%+v", got)
	}
	// The ticks of the curve over time, and of the null with its counts. Two digits do not tell these numbers apart.
	if want := []string{"0.987 0.992 0.997 step 0 step 10", "0 2 0.98 0.99 1.00"}; len(got.Ticks) != 3 || !slices.Equal(got.Ticks[:2], want) {
		t.Errorf("ticks %q", got.Ticks)
	}
	if err := b.Troubles(); err != nil {
		t.Error(err)
	}
}

// TestBrowserExplorerOfIterations checks the explorer of a kernel machine. It shows scores in place of similarities. It
// shows a matrix even if there is no other to compare it with. Eigenvectors over columns are bars, with the names of
// the largest.
func TestBrowserExplorerOfIterations(t *testing.T) {
	t.Parallel()
	b := chromium.Open(t)
	d := &explorer.Document{Measures: []string{"training R²", "test R²"}, Scores: true, Names: []string{"previous M", "M"},
		Layers: []explorer.Layer{{Name: "M", Kind: "metric", Filters: 3, Patch: []int{3}, Columns: []string{"age", "<b>", "size"}}}}
	values := []explorer.Value{{Value: explorer.Number(1)}, {Value: explorer.Number(.5)}}
	m := explorer.NewSpectrum([]float64{3, 1, 0}, 3, mat.NewDense(2, 3, []float64{0, 1, -.5, 1, 0, 0}))
	d.Add("iteration 0", []explorer.Point{{Values: values}})
	d.Add("iteration 1", []explorer.Point{{Values: values, AGOP: m}})
	d.Add("iteration 2", []explorer.Point{{Values: values, CNFM: m, AGOP: m, Cosines: [][]float32{{1, 0}, {0, 1}},
		Angles: []float32{0, 0}, NullAngles: []float32{40, 80}}})
	page := Page{Title: "Iterations", Command: "ansatz rfm --target 'a b'",
		Sections: []Section{{Explorer: d, Figures: []Figure{{Name: "f", SVG: []byte(dotSVG)}}}}}
	path, err := page.Save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{390, 768, 1280} {
		b.Load("file://"+filepath.ToSlash(path), width, 850, "light")
		checkFits(t, b, width)
	}
	expect := func(what, expression, want string) {
		t.Helper()
		var got string
		b.Eval(expression, &got)
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	count := func(selector string) string {
		return fmt.Sprintf(`String(document.querySelectorAll('#explorer %s').length)`, selector)
	}
	expect("the sentence", `document.querySelector('#explorer .said').textContent`,
		"M is 3×3. Training R² 1.000, test R² 0.500.")
	expect("the bars' names", `[...document.querySelectorAll('#explorer .vectors button')[0].querySelectorAll('small')].slice(0, 3).map((s) => s.textContent).join(', ')`,
		"+ <b>, − size, + age")
	expect("the angles", `document.querySelector('#explorer .vectors tr:last-child').textContent`, "angle0°0°")
	expect("lines of scores and spectra", count(".plot polyline"), "4")
	expect("the command", `document.querySelector('.picture').closest('[data-command]').dataset.command`, page.Command)
	for time, want := range []string{"0 2", "2 3", "4 4"} { // buttons of eigenvectors, lines
		b.Eval(fmt.Sprintf(`{const s = document.querySelector('#explorer .time input'); s.value = %d;
			s.dispatchEvent(new Event('input'))}`, time), nil)
		expect(fmt.Sprintf("iteration %d", time), count(".vectors button")+`+' '+`+count(".plot polyline"), want)
	}
	if err := b.Troubles(); err != nil {
		t.Error(err)
	}
}

// TestBrowserPackedPictures checks that a page with chapters contains equal pictures once, and that all figures with
// this picture show it.
func TestBrowserPackedPictures(t *testing.T) {
	t.Parallel()
	b := chromium.Open(t)
	large := []byte(strings.Replace(dotSVG, "</svg>", strings.Repeat("<!-- large -->", 400)+"</svg>", 1))
	page := Page{Title: "Packed", Sections: []Section{{Heading: "a", Parts: []Section{{Heading: "b", Figures: []Figure{
		{Name: "one", SVG: large}, {Name: "two", SVG: large}, {Name: "small", SVG: []byte(dotSVG)},
		{Name: "again", SVG: []byte(dotSVG)}}}}}}}
	html := writeHTML(t, &page)
	if strings.Count(html, `data-same="figure-one"`) != 1 || strings.Count(html, `data-same="figure-small"`) != 1 {
		t.Error("equal pictures stand twice")
	}
	path, err := page.Save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b.Load("file://"+filepath.ToSlash(path), 800, 800, "light")
	var shown string
	b.Eval(`Promise.all([...document.querySelectorAll('.picture img')].map(async (i) => {
		while (!i.naturalWidth) await new Promise((f) => setTimeout(f, 20));
		return i.naturalWidth > 0;
	})).then((all) => all.join())`, &shown)
	if shown != "true,true,true,true" {
		t.Errorf("pictures shown: %s", shown)
	}
}
