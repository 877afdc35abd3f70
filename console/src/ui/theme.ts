import { SharedValue, useShared } from '../api/shared-value';

export type Theme = 'light' | 'dark';

const STORED = 'a2a-hub-console-theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(STORED);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

function preferred(): Theme {
  return prefersDark.matches ? 'dark' : 'light';
}

const shown = new SharedValue<Theme>(stored() ?? preferred());

function show(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  shown.set(theme);
}

/** As the system has it, until one chooses. */
export function beginTheme(): void {
  prefersDark.addEventListener('change', () => show(stored() ?? preferred()));
  show(shown.get());
}

export function chooseTheme(next: Theme): void {
  try {
    localStorage.setItem(STORED, next);
  } catch {
    // Without storage it lasts as long as the page.
  }
  show(next);
}

export function useTheme(): Theme {
  return useShared(shown);
}
