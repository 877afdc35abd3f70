/**
 * What `work` gives for each, in their order; `most` are under way at once. Rejects with the first failure, and begins none after it.
 */
export async function sideBySide<T, R>(
  all: readonly T[],
  most: number,
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = all.entries();
  let hasFailed = false;
  const next = async (): Promise<void> => {
    for (const [index, one] of waiting) {
      if (hasFailed) return;
      try {
        results[index] = await work(one);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, next));
  return results;
}
