/**
 * `TEST_THOROUGH=true`, as `.ci/run` sets it: every pair of the client and agent matrix, the long fuzzing, the large
 * fleet, more seeds of the simulation, and kills of the hub as it is installed.
 * Without it `npm test` has enough of each to notice what breaks.
 */
export const IS_THOROUGH = process.env['TEST_THOROUGH'] === 'true';

/** How many random cases a test tries, and how many where the run is thorough. */
export function casesOf(usual: number, thorough: number): number {
  return IS_THOROUGH ? thorough : usual;
}

/** All of these where the run is thorough, else those that `isUsual`. */
export function chosenOf<T>(all: readonly T[], isUsual: (one: T) => boolean): readonly T[] {
  return IS_THOROUGH ? all : all.filter(isUsual);
}
