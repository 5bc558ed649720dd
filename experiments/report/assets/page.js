'use strict';
(() => {
  // Tables: a click on a column's name sorts up, another down, a third puts the
  // rows back as they were. Cells without a value stay at the end.
  const words = new Intl.Collator('en-GB', { numeric: true });
  const after = { none: 'ascending', ascending: 'descending', descending: 'none' };

  const keyOf = (cell) => {
    if (cell.classList.contains('number')) {
      const value = Number.parseFloat(cell.dataset.key ?? cell.textContent.replace('−', '-'));
      return Number.isNaN(value) ? null : value;
    }
    return cell.textContent || null;
  };
  const compare = (a, b) => {
    if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : Number(a > b);
    return words.compare(a, b);
  };
  const sortRows = (rows, column, direction) => {
    if (direction === 'none') return rows;
    const sign = direction === 'descending' ? -1 : 1;
    const keyed = rows.map((row) => ({ row, key: keyOf(row.cells[column]) }));
    keyed.sort((a, b) => {
      if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
      return sign * compare(a.key, b.key);
    });
    return keyed.map((k) => k.row);
  };
  // Columns that offer it: a choice among their texts, above the table, shows the
  // rows that have it in every such column.
  const makeFilters = (table, heads, rows) => {
    const offered = heads.flatMap((head, column) => (head.hasAttribute('data-filter') ? [column] : []));
    if (!offered.length) return;
    const bar = document.createElement('div');
    const count = document.createElement('output');
    bar.className = 'filters';
    const textOf = (row, column) => row.cells[column].textContent.trim();
    const choices = offered.map((column) => {
      const label = document.createElement('label');
      const choice = document.createElement('select');
      const texts = [...new Set(rows.map((row) => textOf(row, column)))].filter(Boolean).sort(words.compare);
      choice.append(new Option('all', ''), ...texts.map((text) => new Option(text)));
      label.append(heads[column].textContent + ' ', choice);
      bar.append(label);
      return { column, choice };
    });
    const apply = () => {
      for (const row of rows) {
        row.hidden = choices.some(({ column, choice }) => choice.value && textOf(row, column) !== choice.value);
      }
      count.value = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
    };
    bar.append(count);
    bar.addEventListener('change', apply);
    table.closest('.across').before(bar);
    apply();
  };
  const makeSortable = (table) => {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const rows = [...body.rows];
    if (rows.length < 2) return;
    makeFilters(table, heads, rows);
    heads.forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      head.setAttribute('aria-sort', 'none');
      button.addEventListener('click', () => {
        const direction = after[head.getAttribute('aria-sort')];
        heads.forEach((other) => other.setAttribute('aria-sort', 'none'));
        head.setAttribute('aria-sort', direction);
        body.append(...sortRows(rows, column, direction));
      });
    });
  };
  document.querySelectorAll('.table table').forEach(makeSortable);
  const showCut = new ResizeObserver((boxes) => boxes.forEach(({ target }) => {
    target.closest('.table').classList.toggle('cut', target.scrollWidth > target.clientWidth);
  }));
  document.querySelectorAll('.table .scroll').forEach((box) => showCut.observe(box));

  // Figures: a click opens the picture in a dialog, as large as the window or
  // in full size, with the figures before and after it.
  const viewer = document.getElementById('viewer');
  const large = document.getElementById('large');
  const stage = large.parentElement;
  const sizeButton = document.getElementById('size');
  const download = document.getElementById('download');
  const pictures = [...document.querySelectorAll('.picture')];
  let shown = 0;

  const setFull = (full) => {
    stage.classList.toggle('full', full);
    sizeButton.setAttribute('aria-pressed', String(full));
  };
  const show = (index) => {
    shown = (index + pictures.length) % pictures.length;
    const image = pictures[shown].querySelector('img');
    large.src = image.src;
    large.alt = image.alt;
    download.href = image.src;
    download.download = image.dataset.file;
    const caption = pictures[shown].querySelector('figcaption').cloneNode(true);
    caption.querySelector('.files')?.remove();
    document.getElementById('large-caption').textContent = caption.textContent.trim();
    // On a narrow screen, fitting the window would make it no larger than it was.
    setFull(Number(image.getAttribute('width')) > innerWidth);
    stage.scrollTo(0, 0);
  };
  pictures.forEach((picture, index) => {
    const image = picture.querySelector('img');
    const button = document.createElement('button');
    button.type = 'button';
    button.title = 'Enlarge';
    image.parentElement.replaceWith(button);
    button.append(image.parentElement);
    button.addEventListener('click', () => {
      show(index);
      viewer.showModal();
    });
  });
  document.getElementById('previous').addEventListener('click', () => show(shown - 1));
  document.getElementById('next').addEventListener('click', () => show(shown + 1));
  document.getElementById('close').addEventListener('click', () => viewer.close());
  sizeButton.addEventListener('click', () => setFull(!stage.classList.contains('full')));
  viewer.addEventListener('keydown', (event) => {
    if (stage.classList.contains('full') && document.activeElement === stage) return; // the arrows scroll
    if (event.key === 'ArrowLeft') show(shown - 1);
    if (event.key === 'ArrowRight') show(shown + 1);
  });

  // Files: what was compressed is unpacked when its link is used. A picture is a file too, and what made it a command.
  const glyphs = JSON.parse(document.getElementById('glyphs')?.textContent || '{}');
  const unpack = async (element) => {
    const packed = Uint8Array.from(atob(element.dataset.gzip), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    let body = stream;
    if (element.dataset.kind === 'image/svg+xml') { // pictures leave their letters and images to the page
      const picture = (await new Response(stream).text()).replace(/(?<=href=')#(i[0-9a-f]{16})/g,
        (link, id) => `data:image/${glyphs[id].replaceAll('-', '+').replaceAll('_', '/')}`);
      const used = new Set(picture.match(/(?<=<use (?:xlink:)?href='#)g[\d.]+/g));
      const outlines = [...used].filter((id) => glyphs[id]).map((id) => `<path id='${id}' d='${glyphs[id]}'/>`);
      body = picture.replace(/<\/svg>\s*$/, `<defs>${outlines.join('')}</defs></svg>`);
    }
    const content = await new Response(body, { headers: { 'Content-Type': element.dataset.kind || '' } }).blob();
    delete element.dataset.gzip;
    return URL.createObjectURL(content);
  };
  const pictureOf = async (image) => {
    if (image.dataset.same) return pictureOf(document.getElementById(image.dataset.same).querySelector(image.localName));
    if (image.dataset.gzip) image.unpacked ??= unpack(image);
    return image.unpacked || image.src || image.srcset;
  };
  // A few at a time, so that the page stays responsive; those that the window shows come first.
  const narrowWindow = matchMedia('screen and (max-width: 38rem)');
  const unpackPictures = async () => {
    const images = pictures.map((picture) => picture.querySelector('img'));
    const seen = images.map((image) => (narrowWindow.matches && image.parentElement.querySelector('source')) || image);
    const packed = [...new Set([...seen, ...images])].filter((element) => element.dataset.gzip || element.dataset.same);
    while (packed.length) {
      await Promise.all(packed.splice(0, 32).map(async (element) => {
        element[element.localName === 'img' ? 'src' : 'srcset'] ||= await pictureOf(element);
      }));
    }
  };
  narrowWindow.addEventListener('change', unpackPictures);
  unpackPictures();
  document.querySelectorAll('.file[data-gzip]').forEach((link) => link.addEventListener('click', async (event) => {
    if (!link.dataset.gzip) return;
    event.preventDefault();
    link.href = await unpack(link);
    link.click();
  }));
  const addCopy = (files, of) => {
    const command = of.closest('[data-command]')?.dataset.command;
    if (!command || !navigator.clipboard) return;
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.className = 'file';
    copy.textContent = 'Copy command';
    copy.title = command;
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(command);
      copy.textContent = 'Copied';
    });
    files.append(' ', copy);
  };
  pictures.forEach((picture) => {
    const image = picture.querySelector('img');
    const files = picture.querySelector('.files');
    const link = document.createElement('a');
    link.className = 'file';
    link.href = '#';
    link.addEventListener('click', () => { link.href = image.src; });
    link.download = image.dataset.file;
    link.textContent = image.dataset.file.split('.').pop().toUpperCase();
    files.append(' ', link);
    addCopy(files, picture);
  });
  document.querySelectorAll('#explorer').forEach((explorer) => {
    const files = document.createElement('span');
    files.className = 'files';
    addCopy(files, explorer);
    explorer.prepend(files);
  });

  // Contents: what is being read is marked there, and its chapter open. A link into
  // a chapter that was folded away opens it.
  const entries = new Map([...document.querySelectorAll('#contents a')].map((a) => [a.hash.slice(1), a]));
  const mark = (id) => {
    const entry = entries.get(id);
    if (!entry || entry.hasAttribute('aria-current')) return;
    entries.forEach((other) => other.removeAttribute('aria-current'));
    entry.setAttribute('aria-current', 'true');
    if (getComputedStyle(entry.closest('nav')).position !== 'fixed') return;
    const chapter = entry.closest('details');
    document.querySelectorAll('#contents details').forEach((other) => { other.open = other === chapter; });
    entry.scrollIntoView({ block: 'nearest' });
  };
  if (document.documentElement.classList.contains('chapters')) {
    // Of two parts in the band that is read, the lower one counts, whichever came into
    // it first: pictures that load above can push a heading in and out again.
    const parts = [...document.querySelectorAll('main > section:not(:has(.part)), .part')];
    const inBand = new Set();
    const read = new IntersectionObserver((seen) => {
      seen.forEach((s) => (s.isIntersecting ? inBand.add(s.target) : inBand.delete(s.target)));
      const lowest = parts.findLast((part) => inBand.has(part));
      if (lowest) mark(lowest.id);
    }, { rootMargin: '-10% 0% -85% 0%' });
    parts.forEach((part) => read.observe(part));
  }

  // On paper nothing is folded away.
  addEventListener('beforeprint', () => {
    document.querySelectorAll('details.fold:not([open])').forEach((d) => { d.open = true; d.dataset.printed = ''; });
  });
  addEventListener('afterprint', () => {
    document.querySelectorAll('details[data-printed]').forEach((d) => { d.open = false; delete d.dataset.printed; });
  });
})();
