import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

const STORED = 'a2a-hub-console-theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(STORED);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

function theme(): Theme {
  return stored() ?? (prefersDark.matches ? 'dark' : 'light');
}

function apply(): void {
  document.documentElement.dataset['theme'] = theme();
  for (const listener of listeners) listener();
}

/** As the system has it, until one chooses. */
export function beginTheme(): void {
  prefersDark.addEventListener('change', apply);
  apply();
}

export function chooseTheme(next: Theme): void {
  try {
    localStorage.setItem(STORED, next);
  } catch {
    // Without storage it lasts as long as the page.
  }
  document.documentElement.dataset['theme'] = next;
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, theme);
}
