/** How long a claim holds without news: twice an attempt's time. */
export function leaseMs(settings: { readonly timeoutMs: number }): number {
  return 2 * settings.timeoutMs;
}
