'use strict';
// The explorer of a network, or of a kernel machine's iterations. It reads its document, which package explorer describes,
// from the page, draws the wiring, and shows one layer at one time: nulls or scores, spectra and eigenvectors. What is
// chosen stands in the address.
(() => {
  const root = document.getElementById('explorer');
  if (!root) return;
  const own = JSON.parse(document.getElementById('explorer-data').textContent);
  let other = null; // the document of a second record, and its name

  const state = { layer: own.layers[0].name, measure: own.scores ? own.measures.length - 1 : 0, show: own.scores ? 'value' : 'excess', time: own.times.length - 1 };
  const names = own.names || ['CNFM', 'AGOP'];
  const shows = { excess: 'excess over the null', normalised: 'normalised excess', value: 'similarity' };

  // Small helpers.
  const svgNames = 'http://www.w3.org/2000/svg';
  const add = (parent, name, attributes = {}, text = '') => {
    const child = parent.namespaceURI === svgNames || name === 'svg'
      ? document.createElementNS(svgNames, name) : document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => child.setAttribute(key, value));
    if (text) child.textContent = text;
    parent.append(child);
    return child;
  };
  const format = (v, digits = 3) => (v === null || v === undefined || Number.isNaN(v) ? '–' : v.toFixed(digits).replace('-', '−'));
  const power = (k) => `10${[...String(k)].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c])).join('')}`;
  // precise returns v with three digits, as 1700, 0.0428 or 1.7×10⁻⁵.
  const precise = (v) => {
    const [digits, exponent] = v.toExponential(2).split('e');
    const text = exponent > 4 || exponent < -3 ? `${Number(digits)}×${power(Number(exponent))}` : String(Number(v.toPrecision(3)));
    return text.replace('-', '−');
  };
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const signed = (v) => (v > 0 ? '+' : '') + format(v);
  // ticks returns values with their texts, of as many digits as tell them apart.
  const ticks = (values, least = 2) => {
    for (let digits = least; ; digits += 1) {
      const texts = values.map((v) => format(v, digits));
      if (digits >= 8 || new Set(texts).size === new Set(values).size) return values.map((v, i) => [v, texts[i]]);
    }
  };
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const layerOf = (doc, name) => doc.layers.find((l) => l.name === name);
  const pointOf = (doc, name) => {
    const layer = layerOf(doc, name);
    return layer && layer.points[Math.min(state.time, layer.points.length - 1)];
  };
  const valueOf = (doc, name) => {
    const at = doc.measures.indexOf(own.measures[state.measure]);
    const point = pointOf(doc, name);
    return point && at >= 0 ? point.values[at] : undefined;
  };
  // shown returns what is shown of a similarity: itself, its excess, or its normalised excess.
  const shown = (v) => {
    if (!v || v.value === undefined) return null;
    if (state.show === 'value') return v.value;
    if (v.null === undefined) return null;
    const excess = v.value - v.null;
    return state.show === 'excess' ? excess : excess / (1 - v.null);
  };
  const sentence = (name) => {
    const v = valueOf(own, name);
    if (own.scores) {
      const said = own.measures.map((m, i) => [m, pointOf(own, name).values[i].value]).filter(([, u]) => u !== undefined);
      return said.map(([m, u]) => `${m} ${format(u)}`).join(', ') || 'there are no scores';
    }
    if (!v || v.value === undefined) return 'the similarity is not defined';
    const spread = v.stderr === undefined ? '' : ` ± ${format(v.stderr)}`;
    const control = v.null === undefined ? '' : `, null ${format(v.null)} ± ${format(v.null_sd)}, excess ${signed(v.value - v.null)}`;
    return `${own.measures[state.measure]} ${format(v.value)}${spread}${control}`;
  };
  const describe = (name) => `${name}: ${sentence(name)}`;

  // Colours: orange above 0, blue below, paler towards 0; similarities from 0 to 1 in green.
  const colour = (v, most) => {
    if (v === null) return { fill: 'var(--wash)', dark: false };
    const share = Math.min(Math.abs(v) / most, 1);
    const [r, g, b] = state.show === 'value' ? [0, 120, 90] : v > 0 ? [196, 88, 0] : [0, 98, 160];
    const mix = (c) => Math.round(250 + (c - 250) * (0.08 + 0.92 * share));
    const rgb = [mix(r), mix(g), mix(b)];
    const [red, green, blue] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    // White text is used where it has more contrast than dark text, which is below this relative luminance.
    return { fill: `rgb(${rgb.join(' ')})`, dark: 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.2 };
  };

  // The controls.
  const controls = add(root, 'div', { class: 'controls' });
  const choose = (label, options, key, parse) => {
    const box = add(controls, 'label', {}, `${label} `);
    const select = add(box, 'select');
    options.forEach(([value, text]) => select.append(new Option(text, value)));
    select.addEventListener('change', () => { state[key] = parse(select.value); update(); });
    return () => { select.value = String(state[key]); };
  };
  const alone = own.scores && own.layers.length === 1; // one box would say nothing that stands below it too
  const controlsToState = [];
  if (!alone) controlsToState.push(choose('Measure', own.measures.map((m, i) => [i, m]), 'measure', Number));
  if (!own.scores) controlsToState.push(choose('Show', Object.entries(shows), 'show', String));
  if (own.layers.length > 1) controlsToState.push(choose('Layer', own.layers.map((l) => [l.name, l.name]), 'layer', String));
  if (own.times.length > 1) {
    // Times that begin with one word, such as iteration, are called by it.
    const word = `${own.times.at(-1).split(' ')[0]} `, named = own.times.every((text) => text.startsWith(word));
    const box = add(controls, 'label', { class: 'time' }, named ? capital(word) : 'Time ');
    const slider = add(box, 'input', { type: 'range', min: 0, max: own.times.length - 1, step: 1 });
    const said = add(box, 'output');
    const play = add(controls, 'button', { type: 'button' }, 'Play');
    let timer = 0;
    const stop = () => { clearInterval(timer); timer = 0; play.textContent = 'Play'; };
    slider.addEventListener('input', () => { stop(); state.time = Number(slider.value); update(); });
    play.addEventListener('click', () => {
      if (timer) { stop(); return; }
      if (state.time === own.times.length - 1) state.time = 0;
      play.textContent = 'Pause';
      timer = setInterval(() => {
        if (state.time >= own.times.length - 1) { stop(); return; }
        state.time += 1;
        update();
      }, 700);
    });
    controlsToState.push(() => {
      slider.value = String(state.time);
      slider.setAttribute('aria-valuetext', own.times[state.time]);
      said.value = named ? own.times[state.time].slice(word.length) : own.times[state.time];
    });
  }

  // A second record: chosen, or dropped anywhere on the page.
  const pick = add(controls, 'label', { class: 'pick' }, 'Compare with a record.json ');
  const file = add(pick, 'input', { type: 'file', accept: '.json,application/json' });
  const note = add(root, 'p', { class: 'note', role: 'status' });
  const read = async (f) => {
    try {
      let record = {};
      try { record = JSON.parse(await f.text()); } catch { throw new Error('it is not JSON'); }
      const doc = record.page && record.page.explorer;
      if (!doc || !Array.isArray(doc.layers)) throw new Error('want the record.json of a page with an explorer');
      const common = doc.layers.filter((l) => layerOf(own, l.name)).length;
      if (!common) throw new Error('it has no layer of this one');
      other = { doc, name: f.name };
      note.textContent = `${common === 1 ? '1 layer' : `${common} layers`} of ${own.layers.length} ` +
        `${common === 1 ? 'occurs in both records; its right half' : 'occur in both records; their right halves'} ` +
        `and dashed lines show ${f.name}.`;
    } catch (problem) {
      other = null;
      note.textContent = `${f.name} cannot be compared: ${problem.message}.`;
    }
    update();
  };
  file.addEventListener('change', () => file.files[0] && read(file.files[0]));
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
  });

  // The wiring: columns by depth, branches below each other.
  const joints = own.wiring || own.layers.map((l, i) => ({ layers: [l.name], op: l.kind, from: i ? [i - 1] : [] }));
  const box = { width: 112, height: 40, small: 30, gap: 22, row: 56 };
  const place = () => {
    const depth = [];
    joints.forEach((j, i) => { depth[i] = Math.max(-1, ...(j.from || []).map((k) => depth[k])) + 1; });
    const columns = [];
    joints.forEach((j, i) => { (columns[depth[i]] ??= []).push(i); });
    let x = 0;
    const at = [];
    columns.forEach((column) => {
      const width = column.some((i) => joints[i].layers) ? box.width : box.small;
      let row = 0;
      column.forEach((i) => {
        const height = (joints[i].layers || [0]).length;
        at[i] = { x: x + width / 2, y: (row + height / 2) * box.row, rows: height };
        row += height;
      });
      x += width + box.gap;
    });
    return { at, width: x - box.gap, height: Math.max(...at.map((p) => p.y + p.rows * box.row / 2)) + 18 };
  };
  const layout = place();
  const frame = add(root, 'div', { class: 'scroll wiring', role: 'group', 'aria-label': 'The network, coloured by layer' });
  const drawing = add(frame, 'svg', {
    width: layout.width + 8, height: layout.height + 22, viewBox: `-4 -20 ${layout.width + 8} ${layout.height + 22}`,
  });
  const half = (i) => (joints[i].layers ? box.width : box.small) / 2;
  joints.forEach((j, i) => (j.from || []).forEach((k) => {
    const a = layout.at[k], b = layout.at[i];
    const x1 = a.x + half(k), x2 = b.x - half(i);
    const passes = layout.at.some((p, m) => p.y === a.y && p.y === b.y && p.x > a.x && p.x < b.x && m !== i);
    const lift = passes ? -34 : 0;
    add(drawing, 'path', {
      class: 'edge', d: `M${x1} ${a.y} C${x1 + 16} ${a.y + lift} ${x2 - 16} ${b.y + lift} ${x2} ${b.y}`,
    });
  }));
  const boxes = [];
  joints.forEach((j, i) => {
    const { x, y } = layout.at[i];
    if (!j.layers) {
      const words = { add: '+', mul: '×', concat: '∥', input: 'in', output: 'out' };
      add(drawing, 'circle', { class: 'joint', cx: x, cy: y, r: 13 });
      add(drawing, 'text', { class: 'op', x, y: y + 4 }, words[j.op] || j.op.slice(0, 3));
      return;
    }
    j.layers.forEach((name, k) => {
      const top = y + (k - j.layers.length / 2) * box.row + (box.row - box.height) / 2;
      if (!layerOf(own, name)) {
        add(drawing, 'rect', { class: 'left-out', x: x - box.width / 2, y: top, width: box.width, height: box.height, rx: 5 });
        add(drawing, 'text', { class: 'op', x, y: top + 24 }, name.length > 15 ? `…${name.slice(-14)}` : name);
        return;
      }
      const g = add(drawing, 'g', { class: 'layer', tabindex: 0, role: 'button' });
      const rect = add(g, 'rect', { x: x - box.width / 2, y: top, width: box.width, height: box.height, rx: 5 });
      const second = add(g, 'rect', { class: 'second', x, y: top, width: box.width / 2, height: box.height, rx: 5 });
      const label = add(g, 'text', { x, y: top + 16 }, name.length > 16 ? `…${name.slice(-15)}` : name);
      const numbers = [x, x + box.width / 4].map((at) => add(g, 'text', { class: 'number', x: at, y: top + 32 }));
      const title = add(g, 'title');
      const pickLayer = () => { state.layer = name; update(); };
      g.addEventListener('click', pickLayer);
      g.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); pickLayer(); }
        if (step) { event.preventDefault(); boxes[(boxes.indexOf(entry) + step + boxes.length) % boxes.length].g.focus(); }
      });
      const entry = { name, x, g, rect, second, label, numbers, title };
      boxes.push(entry);
    });
  });
  const legend = add(root, 'p', { class: 'legend' });
  frame.hidden = alone;
  legend.hidden = alone;

  const drawWiring = () => {
    const all = boxes.flatMap(({ name }) => [shown(valueOf(own, name)), other ? shown(valueOf(other.doc, name)) : null]);
    const most = state.show === 'value' ? 1 : Math.max(0.1, ...all.map((v) => Math.abs(v ?? 0)));
    boxes.forEach(({ name, x, g, rect, second, label, numbers, title }) => {
      const v = shown(valueOf(own, name));
      const { fill, dark } = colour(v, most);
      rect.style.fill = fill;
      const compared = other ? shown(valueOf(other.doc, name)) : null;
      second.style.display = compared === null ? 'none' : '';
      if (compared !== null) second.style.fill = colour(compared, most).fill;
      const ink = (u, deep) => (u === null ? 'var(--ink)' : deep ? '#fff' : '#1d2023');
      const text = (u) => (state.show === 'value' ? format(u) : u === null ? '–' : signed(u));
      label.style.fill = ink(v, dark);
      label.style.stroke = compared === null ? 'none' : fill; // the name lies on both halves
      [v, compared].forEach((u, i) => {
        numbers[i].textContent = i && compared === null ? '' : text(u);
        numbers[i].style.fill = ink(u, colour(u, most).dark);
      });
      numbers[0].setAttribute('x', compared === null ? x : x - box.width / 4);
      title.textContent = describe(name);
      g.setAttribute('aria-label', describe(name));
      g.setAttribute('aria-pressed', String(name === state.layer));
    });
    legend.replaceChildren();
    legend.append(`Colour: ${own.scores ? own.measures[state.measure] : shows[state.show]}, `);
    const scale = state.show === 'value' ? [0, 0.5, 1] : [-most, 0, most];
    scale.forEach((v) => {
      const patch = add(legend, 'span', { class: 'patch' });
      patch.style.background = colour(v, most).fill;
      legend.append(` ${state.show === 'value' ? format(v, 1) : v ? signed(v) : '0'} `);
    });
    if (boxes.length > 1) legend.append(document.createElement('br'), 'Choose a box, or move between them with the arrow keys and press Enter.');
  };

  // One layer.
  const detail = add(root, 'div', { class: 'detail' });
  const plot = (title, description, width, height) => {
    const figure = add(detail, 'figure', { class: 'plot' });
    const svg = add(figure, 'svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': description });
    add(figure, 'figcaption', {}, title);
    return svg;
  };
  const axis = (svg, ticks, x, y, anchor = 'middle') => ticks.forEach(([at, text]) => add(svg, 'text', {
    class: 'tick', x: x(at), y: y(at), 'text-anchor': anchor,
  }, text));

  const drawNull = (name) => {
    const v = valueOf(own, name);
    if (!v || v.value === undefined || v.null === undefined) return;
    const width = 320, height = 170, left = 34, right = 308, bottom = 138;
    const svg = plot(`Similarity (line) and the null${v.draws ? `: how many of ${v.draws.length} draws, and` : ','} ± 2 standard ` +
      'deviations (band)', describe(name), width, height);
    const twice = 2 * (v.null_sd || 0), compared = other && valueOf(other.doc, name);
    const reach = [v.value, v.null - twice, v.null + twice, ...(v.draws || [])];
    if (compared && compared.value !== undefined) reach.push(compared.value);
    let low = Math.min(...reach), high = Math.max(...reach);
    const pad = Math.max(0.02, 0.08 * (high - low));
    low = Math.max(-1, low - pad); high = Math.min(1, high + pad);
    const x = (u) => left + (right - left) * (u - low) / (high - low);
    add(svg, 'rect', {
      class: 'band', x: x(Math.max(low, v.null - twice)), y: 14, height: bottom - 14,
      width: Math.max(0, x(Math.min(high, v.null + twice)) - x(Math.max(low, v.null - twice))),
    });
    const bins = 24, counts = Array(bins).fill(0);
    (v.draws || []).forEach((u) => { counts[Math.min(bins - 1, Math.floor(bins * (u - low) / (high - low)))] += 1; });
    const tallest = Math.max(1, ...counts);
    counts.forEach((n, i) => n && add(svg, 'rect', {
      class: 'bin', x: left + i * (right - left) / bins + 0.5, width: (right - left) / bins - 1,
      y: bottom - n / tallest * (bottom - 24), height: n / tallest * (bottom - 24),
    }));
    if (v.draws) axis(svg, [[0, '0'], [tallest, String(tallest)]], () => left - 6, (n) => bottom - n / tallest * (bottom - 24) + 4, 'end');
    add(svg, 'line', { class: 'axis', x1: left, x2: right, y1: bottom, y2: bottom });
    if (v.stderr) {
      add(svg, 'line', { class: 'error', x1: x(Math.max(low, v.value - v.stderr)), x2: x(Math.min(high, v.value + v.stderr)), y1: 24, y2: 24 });
    }
    add(svg, 'line', { class: 'value', x1: x(v.value), x2: x(v.value), y1: 14, y2: bottom });
    if (compared && compared.value !== undefined) {
      add(svg, 'line', { class: 'value compared', x1: x(compared.value), x2: x(compared.value), y1: 14, y2: bottom });
    }
    axis(svg, ticks([0.05, 0.5, 0.95].map((share) => low + (high - low) * share)), x, () => bottom + 18);
  };

  // drawScores shows all scores at all times, with a mark at the chosen one.
  const drawScores = (name) => {
    const points = layerOf(own, name).points;
    const lines = own.measures.map((m, at) => [m, points.map((p, i) => [i, p.values[at].value]).filter(([, u]) => u !== undefined)]);
    const all = lines.flatMap(([, line]) => line.map(([, u]) => u));
    if (!all.length) return;
    const width = 320, height = 170, left = 46, right = 308, top = 14, bottom = 138;
    const svg = plot(`Scores: ${own.measures.map((m, k) => `${m} (${['line', 'dashed', 'dotted'][k]})`).join(', ')}`,
      `Scores from ${own.times[0]} to ${own.times.at(-1)}; at ${own.times[state.time]}: ${sentence(name)}`, width, height);
    const low = Math.min(...all), high = Math.max(low + 0.01, ...all);
    const x = (i) => left + (right - left) * i / (own.times.length - 1), y = (u) => bottom - (bottom - top) * (u - low) / (high - low);
    add(svg, 'line', { class: 'axis', x1: x(state.time), x2: x(state.time), y1: top, y2: bottom });
    lines.forEach(([, line], k) => {
      add(svg, 'polyline', { class: 'line agop', 'stroke-dasharray': ['', '6 3', '2 3'][k] || '', points: line.map(([i, u]) => `${x(i)},${y(u)}`).join(' ') });
      const now = line.find(([i]) => i === state.time);
      if (now) add(svg, 'circle', { class: 'dot agop', cx: x(now[0]), cy: y(now[1]), r: 4 });
    });
    axis(svg, ticks([low, (low + high) / 2, high], 3), () => left - 6, (u) => y(u) + 4, 'end');
    axis(svg, [[left, own.times[0]]], () => left, () => bottom + 18, 'start');
    axis(svg, [[right, own.times.at(-1)]], () => right, () => bottom + 18, 'end');
  };

  // drawCurve shows the similarity and its null, ± 2 standard deviations, at all times, with a mark at the chosen one.
  const drawCurve = (name) => {
    const at = state.measure, all = layerOf(own, name).points.map((p) => p.values[at]);
    const known = all.map((v, i) => ({ ...v, i })).filter((v) => v.value !== undefined && v.null !== undefined);
    if (known.length < 2) return;
    const width = 320, height = 170, left = 46, right = 308, top = 14, bottom = 138;
    const svg = plot('Similarity (line) and its null (band, ± 2 standard deviations) over the training',
      `${own.measures[at]} and its null at ${own.times.length} times, from ${own.times[0]} to ${own.times.at(-1)}`, width, height);
    const reach = known.flatMap((v) => [v.value, v.null - 2 * v.null_sd, v.null + 2 * v.null_sd]);
    const high = Math.min(1, Math.max(...reach)), low = Math.max(-1, Math.min(high - 0.01, ...reach));
    const x = (i) => left + (right - left) * i / (own.times.length - 1);
    const y = (u) => bottom - (bottom - top) * (Math.min(Math.max(u, low), high) - low) / (high - low);
    const points = (of) => known.map((v) => `${x(v.i)},${y(of(v))}`);
    add(svg, 'polygon', {
      class: 'band', points: [...points((v) => v.null + 2 * v.null_sd), ...points((v) => v.null - 2 * v.null_sd).reverse()].join(' '),
    });
    add(svg, 'polyline', { class: 'line null', points: points((v) => v.null).join(' ') });
    add(svg, 'line', { class: 'axis', x1: x(state.time), x2: x(state.time), y1: top, y2: bottom });
    add(svg, 'polyline', { class: 'line agop', points: points((v) => v.value).join(' ') });
    const now = known.find((v) => v.i === state.time);
    if (now) add(svg, 'circle', { class: 'dot agop', cx: x(now.i), cy: y(now.value), r: 4 });
    axis(svg, ticks([low, (low + high) / 2, high]), () => left - 6, (u) => y(u) + 4, 'end');
    axis(svg, [[left, own.times[0].split(',')[0]]], () => left, () => bottom + 18, 'start');
    axis(svg, [[right, own.times.at(-1).split(',')[0]]], () => right, () => bottom + 18, 'end');
  };

  const drawSpectra = (point, compared) => {
    const shownOf = (p) => [['cnfm', p && p.cnfm], ['agop', p && p.agop]].filter(([, s]) => s);
    if (!shownOf(point).length) return;
    const width = 320, height = 170, left = 46, right = 308, top = 10, bottom = 138;
    const here = ['cnfm', 'agop'].flatMap((kind, i) => (point[kind] ? [names[i]] : [])).join(' and ');
    const svg = plot(`Eigenvalues of ${own.names ? here : 'the CNFM WᵀW and the AGOP'}, as shares of the trace, against their ranks`,
      `Eigenvalues of ${here} as shares of the trace on logarithmic axes`, width, height);
    const shares = (s) => s.values.map((u) => u / s.trace).filter((u) => u > 1e-7);
    const lines = [...shownOf(point), ...shownOf(compared).map(([kind, s]) => [`${kind} compared`, s])];
    const all = lines.map(([kind, s]) => [kind, shares(s)]);
    const most = Math.max(2, ...all.map(([, s]) => s.length)), least = Math.min(...all.flatMap(([, s]) => s));
    const x = (rank) => left + (right - left) * Math.log(rank) / Math.log(most);
    const y = (u) => top + (bottom - top) * Math.log(u) / Math.log(Math.min(least, 0.5));
    for (let u = 1, k = 0; u >= least; u /= 10, k -= 1) {
      add(svg, 'line', { class: 'grid', x1: left, x2: right, y1: y(u), y2: y(u) });
      axis(svg, [[u, k === 0 ? '1' : k === -1 ? '0.1' : k === -2 ? '0.01' : power(k)]], () => left - 6, () => y(u) + 4, 'end');
    }
    const ranks = [1, 10, 100].filter((r) => r <= most);
    if (most < 10) ranks.push(most);
    axis(svg, ranks.map((r) => [r, String(r)]), x, () => bottom + 18);
    all.forEach(([kind, s]) => {
      add(svg, 'polyline', { class: `line ${kind}`, points: s.map((u, i) => `${x(i + 1)},${y(u)}`).join(' ') });
      if (!kind.includes('compared')) s.forEach((u, i) => i < 40 && add(svg, 'circle', { class: `dot ${kind}`, cx: x(i + 1), cy: y(u), r: 2.4 }));
    });
    [['cnfm', names[0]], ['agop', names[1]]].filter(([kind]) => point[kind]).forEach(([kind, text], i) => {
      add(svg, 'line', { class: `line ${kind}`, x1: left + 10, x2: left + 34, y1: bottom - 28 + 15 * i, y2: bottom - 28 + 15 * i });
      add(svg, 'text', { class: 'tick', x: left + 40, y: bottom - 24 + 15 * i }, text);
    });
  };

  // heat returns the colour of a share from 0 to 1: five stops from dark violet to yellow, of rising lightness.
  const stops = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const heat = (share) => {
    const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1), i = Math.min(Math.floor(at), stops.length - 2);
    return stops[i].map((c, k) => c + (stops[i + 1][k] - c) * (at - i));
  };

  // An eigenvector of columns as bars: up and down from 0, with the names of the three longest.
  const bars = (layer, text) => {
    const v = [...bytes(text)].map((b) => (b - 128) / 127), order = v.map((u, i) => i).sort((a, b) => Math.abs(v[b]) - Math.abs(v[a]));
    const width = Math.max(64, Math.min(160, 6 * v.length)), each = width / v.length, box = document.createElement('span');
    const svg = add(box, 'svg', { class: 'bars', width, height: 56, viewBox: `0 -28 ${width} 56` });
    v.forEach((u, i) => add(svg, 'rect', { x: i * each, width: Math.max(0.5, 0.8 * each), y: Math.min(0, -27 * u), height: Math.max(0.5, Math.abs(27 * u)) }));
    for (const i of order.slice(0, 3)) add(box, 'small', {}, `${v[i] < 0 ? '−' : '+'} ${layer.columns[i]}`);
    box.title = order.slice(0, 12).map((i) => `${layer.columns[i]} ${format(v[i], 2)}`).join(', ');
    return box;
  };

  // An eigenvector as a picture: 1 or 3 channels as they are, the norm over more, a row of features as a square.
  const picture = (layer, text) => {
    const v = bytes(text), canvas = document.createElement('canvas');
    let [channels, rows, columns] = layer.patch.length === 3 ? layer.patch : [1, 0, 0];
    if (!rows) { columns = Math.ceil(Math.sqrt(v.length)); rows = Math.ceil(v.length / columns); }
    canvas.width = columns; canvas.height = rows;
    const context = canvas.getContext('2d'), image = context.createImageData(columns, rows), size = rows * columns;
    let most = 1;
    const norms = new Float32Array(size);
    if (channels !== 1 && channels !== 3) {
      for (let p = 0; p < size; p += 1) {
        for (let c = 0; c < channels; c += 1) norms[p] += (v[c * size + p] - 128) ** 2;
        norms[p] = Math.sqrt(norms[p]);
        most = Math.max(most, norms[p]);
      }
    }
    for (let p = 0; p < size; p += 1) {
      const of = channels === 3 ? [v[p], v[size + p], v[2 * size + p]]
        : channels === 1 ? Array(3).fill(p < v.length ? v[p] : 128)
          : heat(norms[p] / most);
      image.data.set([...of, 255], 4 * p);
    }
    context.putImageData(image, 0, 0);
    return canvas;
  };
  const crop = (spot) => {
    const image = own.images[spot.image], px = bytes(image.pixels), canvas = document.createElement('canvas');
    const high = Math.max(3, Math.round(spot.height * image.height)), wide = Math.max(3, Math.round(spot.width * image.width));
    const top = Math.round(spot.row * image.height - high / 2), left = Math.round(spot.column * image.width - wide / 2);
    canvas.width = wide; canvas.height = high;
    const context = canvas.getContext('2d'), data = context.createImageData(wide, high);
    for (let r = 0; r < high; r += 1) {
      for (let c = 0; c < wide; c += 1) {
        const y = top + r, x = left + c;
        if (y < 0 || x < 0 || y >= image.height || x >= image.width) continue;
        const at = (y * image.width + x) * image.channels;
        const rgb = image.channels === 3 ? [px[at], px[at + 1], px[at + 2]] : Array(3).fill(px[at]);
        data.data.set([...rgb, 255], 4 * (r * wide + c));
      }
    }
    context.putImageData(data, 0, 0);
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `a patch of image ${spot.image + 1}, response ${precise(spot.response)}`);
    return canvas;
  };

  // match pairs eigenvectors, the largest cosines first.
  const match = (cosines) => {
    const all = cosines.flatMap((row, i) => row.map((c, j) => ({ i, j, c: Math.abs(c) }))).sort((a, b) => b.c - a.c);
    const rows = new Set(), columns = new Set(), pairs = [];
    all.forEach((p) => {
      if (rows.has(p.i) || columns.has(p.j)) return;
      rows.add(p.i); columns.add(p.j); pairs.push(p);
    });
    return pairs.sort((a, b) => a.j - b.j);
  };

  const drawVectors = (layer, point) => {
    if (!point.cosines && !(point.agop && point.agop.vectors)) return;
    const figure = add(detail, 'figure', { class: 'vectors' });
    const seen = document.createElement('div');
    let first = null;
    const button = (kind, spectrum, i) => {
      const share = `${(100 * spectrum.values[i] / spectrum.trace).toFixed(1)} %`;
      const b = document.createElement('button');
      b.type = 'button';
      b.title = `${kind} ${i + 1}: eigenvalue ${precise(spectrum.values[i])}, ${share} of the trace`;
      b.setAttribute('aria-label', b.title);
      if (spectrum.vectors) b.append((layer.columns ? bars : picture)(layer, spectrum.vectors[i]));
      b.append(share);
      const showPatches = () => {
        seen.replaceChildren();
        add(seen, 'p', {}, `${b.title}.${spectrum.seen ? ' The patches of the images that respond most:' : ''}`);
        if (layer.columns && spectrum.vectors) add(seen, 'p', {}, `Largest elements: ${b.querySelector('[title]').title}.`);
        if (spectrum.seen) seen.append(...spectrum.seen[i].map(crop));
      };
      ['mouseenter', 'focus', 'click'].forEach((event) => b.addEventListener(event, showPatches));
      first ??= showPatches;
      return b;
    };
    const table = add(add(figure, 'div', { class: 'scroll' }), 'table');
    const rows = (point.cosines ? [names[1], names[0], 'angle'] : [names[1]]).map((name) => {
      const row = add(table, 'tr');
      add(row, 'th', { scope: 'row' }, name);
      return row;
    });
    const pairs = point.cosines ? match(point.cosines) : point.agop.vectors.map((v, j) => ({ j }));
    pairs.forEach(({ i, j, c }) => {
      add(rows[0], 'td').append(button(`${names[1]} eigenvector`, point.agop, j));
      if (i === undefined) return;
      add(rows[1], 'td').append(button(`${names[0]} eigenvector`, point.cnfm, i));
      add(rows[2], 'td', {}, `${Math.round(Math.acos(Math.min(1, c)) * 180 / Math.PI)}°`);
    });
    seen.className = 'seen';
    seen.setAttribute('role', 'status');
    figure.append(seen);
    if (first) first();
    const listed = (angles) => (angles || []).map((a) => `${Math.round(a)}°`).join(', ');
    const random = listed(point.null_angles);
    // Spans of all dimensions are one and the same, and so are random ones.
    const spans = !/[1-9]/.test(random || listed(point.angles)) ? ''
      : ` Principal angles between the spans: ${listed(point.angles)}${random ? `; between random ones: ${random}` : ''}.`;
    const of = own.names ? own.names.map((n) => (n.startsWith('previous') ? `the ${n}` : n)) : ['the CNFM WᵀW', 'the AGOP'];
    const channels = layer.patch.length === 3 ? layer.patch[0] : 1;
    const norms = channels === 1 || channels === 3 || layer.columns ? ''
      : ` A picture shows the norm over the ${channels} channels, from 0 (dark) to the largest (yellow).`;
    add(figure, 'figcaption', {}, !point.cosines ? `Leading eigenvectors of ${of[1]}; the shares are of the trace.${norms}`
      : `Leading eigenvectors of ${of[1]}, each with the one of ${of[0]} that is most similar, and the angle ` +
      `between them; the shares are of the trace.${spans}${norms}`);
  };

  const drawDetail = () => {
    detail.replaceChildren();
    const layer = layerOf(own, state.layer), point = pointOf(own, state.layer);
    add(detail, 'h3', {}, state.layer);
    const patch = layer.patch.join('×');
    const read = layer.patch.length > 1 ? `patches of ${patch}` : `${patch} features`;
    const what = layer.kind === 'metric' ? `M is ${layer.filters}×${layer.filters}`
      : `${layer.kind === 'conv' ? 'Convolution' : 'Linear layer'}, ${layer.filters} filters on ${read}`;
    add(detail, 'p', { class: 'said' }, `${what}. ${capital(sentence(state.layer))}.`);
    if (own.times.length > 1) (own.scores ? drawScores : drawCurve)(state.layer);
    drawNull(state.layer);
    drawSpectra(point, other && pointOf(other.doc, state.layer));
    drawVectors(layer, point);
  };

  // The address: #explorer&layer=…&measure=…&show=…&time=….
  const readAddress = () => {
    if (!location.hash.startsWith('#explorer&')) return;
    const asked = new URLSearchParams(location.hash.slice('#explorer&'.length));
    if (layerOf(own, asked.get('layer'))) state.layer = asked.get('layer');
    const measure = own.measures.indexOf(asked.get('measure'));
    if (measure >= 0) state.measure = measure;
    if (asked.get('show') in shows) state.show = asked.get('show');
    const time = own.times.indexOf(asked.get('time'));
    if (time >= 0) state.time = time;
  };
  const writeAddress = () => {
    const said = new URLSearchParams({ layer: state.layer, measure: own.measures[state.measure], show: state.show });
    if (own.times.length > 1) said.set('time', own.times[state.time]);
    history.replaceState(null, '', `#explorer&${said}`);
  };
  const draw = () => {
    controlsToState.forEach((f) => f());
    drawWiring();
    drawDetail();
  };
  // The chosen box is brought into view.
  const follow = () => {
    const chosen = boxes.find(({ name }) => name === state.layer);
    if (!chosen) return;
    const at = Number(chosen.rect.getAttribute('x')) + box.width / 2 - frame.clientWidth / 2;
    if (Math.abs(at - frame.scrollLeft) > frame.clientWidth / 2 - box.width) frame.scrollLeft = at;
  };
  const update = () => { writeAddress(); draw(); follow(); };
  addEventListener('hashchange', () => { readAddress(); draw(); follow(); });
  readAddress();
  draw();
  follow();
  if (location.hash.startsWith('#explorer&')) root.scrollIntoView();
})();
