/**
 * What `use` gives, which gets a signal that aborts with the first of these. Unlike `AbortSignal.any` it leaves nothing with
 * signals that live longer, and none of them is lost meanwhile.
 */
export async function withFirstOf<T>(
  signals: readonly AbortSignal[],
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const first = new AbortController();
  const abort = (): void => first.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener('abort', abort);
  if (signals.some(({ aborted }) => aborted)) abort();
  try {
    return await use(first.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
}
