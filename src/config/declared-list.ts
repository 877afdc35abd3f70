import { Setting, type SettingOptions } from './setting.js';

/**
 * One entry of a list that the configuration declares, as it is written there. The feature it belongs to
 * reads it by the rules of its API, so nothing of it has been looked at.
 */
export interface DeclaredEntry {
  readonly [member: string]: unknown;
}

/** A setting that holds such a list; `allowed` tells people what it may hold. */
export function declaredList(
  allowed: string,
  options: SettingOptions<readonly DeclaredEntry[]>,
): Setting<readonly DeclaredEntry[]> {
  return new Setting<readonly DeclaredEntry[]>({ ...options, faults: faultsOf }, allowed, (input) =>
    Array.isArray(input) && faultsOf(input).length === 0 ? (input as DeclaredEntry[]) : undefined,
  );
}

/** The entries that are no mapping at all, each with its place. */
function faultsOf(input: unknown): string[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((each: unknown, index) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? []
      : [`[${index}]: is not a mapping`],
  );
}
