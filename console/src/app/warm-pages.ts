import type { AnyRouter } from '@tanstack/react-router';
import { NAV } from './nav';

const AFTER_MS = 1000;

/** Loads the other pages while there is nothing else to do: they open at once, and also when the connection is lost. */
export function warmPages(router: AnyRouter): () => void {
  const timer = setTimeout(() => {
    for (const { to } of NAV) void router.preloadRoute({ to }).catch(() => undefined);
  }, AFTER_MS);
  return () => clearTimeout(timer);
}
