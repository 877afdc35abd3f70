/** The promise, or a rejection with what `reason` gives as soon as the signal aborts; what comes of the promise later is dropped. */
export function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  reason: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(reason());
    if (signal.aborted) gone();
    signal.addEventListener('abort', gone, { once: true });
    const done = (): void => signal.removeEventListener('abort', gone);
    promise.then(resolve, reject).finally(done);
  });
}
