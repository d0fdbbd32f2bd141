// Light or dark: as the system says, until the button #theme is pressed; the choice is remembered. It works as a plain script in the head, which sets
// the colours before the page is first painted, and as a module.

(() => {
  const NAME = 'bearleft.theme';
  const system = matchMedia('(prefers-color-scheme: dark)');

  // Browsers may forbid the storage.
  function remembered() {
    try {
      return localStorage.getItem(NAME);
    } catch {
      return null;
    }
  }
  function remember(theme) {
    try {
      localStorage.setItem(NAME, theme);
    } catch {
      // The choice holds for this page.
    }
  }
  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    labelButton();
    document.dispatchEvent(new Event('themechange'));
  }
  function labelButton() {
    const button = document.getElementById('theme');
    const other = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    button?.setAttribute('aria-label', `Use ${other} colours`);
    button?.setAttribute('title', `Use ${other} colours`);
  }
  function useSystem() {
    setTheme(system.matches ? 'dark' : 'light');
  }

  const chosen = remembered();
  if (chosen === 'dark' || chosen === 'light') setTheme(chosen);
  else useSystem();
  system.addEventListener('change', () => remembered() === null && useSystem());
  document.addEventListener('DOMContentLoaded', labelButton);
  document.addEventListener('click', (event) => {
    if (!event.target.closest?.('#theme')) return;
    const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    setTheme(theme);
    remember(theme);
  });
})();
