import { asProblem } from '../api/problem';

/** One of many that could not be done, and why. */
export interface Failure {
  readonly id: string;
  readonly why: string;
}

/** Does the same with each, several at once; those that could not be done come back. What has not begun when `signal` is aborted is left. */
export async function runEach(
  ids: readonly string[],
  work: (id: string) => Promise<unknown>,
  options: {
    readonly atOnce: number;
    readonly signal: AbortSignal;
    /** Hears how many are done, well or not. */
    readonly onProgress: (done: number) => void;
  },
): Promise<readonly Failure[]> {
  const { atOnce, signal, onProgress } = options;
  const failures: Failure[] = [];
  const waiting = ids.values();
  let done = 0;
  const lane = async () => {
    for (const id of waiting) {
      try {
        await work(id);
      } catch (thrown) {
        failures.push({ id, why: asProblem(thrown).message });
      }
      onProgress((done += 1));
      if (signal.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return failures;
}
