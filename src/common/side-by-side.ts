/** What `work` comes to for each, in their order; `most` are under way at once. Never rejects. */
export async function sideBySide<T, R>(
  all: readonly T[],
  most: number,
  work: (one: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = [];
  const waiting = all.entries();
  const next = async (): Promise<void> => {
    for (const [index, one] of waiting) {
      results[index] = await work(one).then(
        (value) => ({ status: 'fulfilled', value }),
        (reason: unknown) => ({ status: 'rejected', reason }),
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, next));
  return results;
}
