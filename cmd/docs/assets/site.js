(() => {
  // The choice between light and dark is kept from page to page, where the browser allows it.
  const root = document.documentElement;
  const stored = (use) => { try { return use(localStorage); } catch { return undefined; } };
  const chosen = stored((storage) => storage.getItem('theme'));
  if (chosen) root.dataset.theme = chosen;
  addEventListener('pagehide', () => {
    if (root.dataset.theme) stored((storage) => storage.setItem('theme', root.dataset.theme));
  });

  // The contents of the page stand open where they have a column of their own.
  const contents = document.querySelector('.toc');
  if (contents) contents.open = matchMedia('(min-width: 84rem)').matches;

  // Search: the sections that have all words, those first that have them in their headings.
  const box = document.getElementById('search');
  const hits = document.getElementById('hits');
  box.parentElement.hidden = false;
  const weigh = (texts, word) => [2, 4, 1].reduce((sum, w, i) => sum + (texts[i].includes(word) ? w : 0), 0);
  const find = (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    return sections
      .map((section) => {
        const texts = section.slice(1).map((text) => text.toLowerCase());
        const weights = words.map((word) => weigh(texts, word));
        return { section, weight: Math.min(...weights) && weights.reduce((a, b) => a + b) };
      })
      .filter((hit) => hit.weight > 0)
      .sort((a, b) => b.weight - a.weight)
      .slice(0, 12);
  };
  const show = ({ section: [address, page, heading, beginning] }) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    const note = document.createElement('small');
    link.href = root.dataset.root + address;
    note.textContent = (heading === page ? '' : page + (beginning && ': ')) + beginning;
    link.append(heading, document.createElement('br'), note);
    item.append(link);
    return item;
  };
  box.addEventListener('input', () => {
    hits.replaceChildren(...find(box.value).map(show));
    hits.hidden = !box.value.trim();
    if (!hits.firstChild) hits.innerHTML = '<li class="none">No heading has these words.</li>';
  });
  box.parentElement.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target === box) hits.querySelector('a')?.click();
    if (event.key === 'Escape') { box.value = ''; hits.hidden = true; box.focus(); }
  });
  hits.addEventListener('click', () => { hits.hidden = true; });
})();
