'use strict';
(() => {
  // Light and dark: the button starts from what the system prefers and is
  // forgotten with the page.
  const root = document.documentElement;
  const theme = document.getElementById('theme');
  const prefersDark = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : prefersDark.matches);
  const showTheme = () => { theme.textContent = isDark() ? 'Light' : 'Dark'; }; // what a click brings
  theme.hidden = false;
  theme.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    showTheme();
  });
  prefersDark.addEventListener('change', showTheme);
  showTheme();
})();
