import { readSize } from './setting-kinds.js';
import { Setting, type SettingOptions } from './setting.js';

/** Other limits for one organization, or for one principal; what is absent stays as `quotas.*` says. */
export interface QuotaOverride {
  /** Exactly one of the two is set. */
  readonly organization?: string;
  /** A principal's id. */
  readonly principal?: string;
  readonly openTasks?: number;
  readonly tasksPerDay?: number;
  /** Bytes. */
  readonly storedBytes?: number;
}

const NUMBERS = ['openTasks', 'tasksPerDay'] as const;
const KEYS = ['organization', 'principal', ...NUMBERS, 'storedBytes'];
const ALLOWED =
  'a list (in a file only), each with either organization or principal (its id), and one or more of openTasks, tasksPerDay, storedBytes (0 for no limit)';

/** The setting that holds such a list. */
export function quotaOverrides(
  options: SettingOptions<readonly QuotaOverride[]>,
): Setting<readonly QuotaOverride[]> {
  return new Setting<readonly QuotaOverride[]>({ ...options, faults: faultsOf }, ALLOWED, (input) =>
    Array.isArray(input) && faultsOf(input).length === 0
      ? input.map((each) => toOverride(each as Mapping))
      : undefined,
  );
}

type Mapping = Readonly<Record<string, unknown>>;

function toOverride({ storedBytes, ...rest }: Mapping): QuotaOverride {
  return storedBytes === undefined ? rest : { ...rest, storedBytes: readSize(storedBytes)! };
}

/** Everything that is wrong with the list, each with its place. */
function faultsOf(input: unknown): string[] {
  if (!Array.isArray(input)) return [];
  const seen = new Set<string>();
  return input.flatMap((each: unknown, index) => {
    const at = `[${index}]`;
    if (typeof each !== 'object' || each === null || Array.isArray(each)) {
      return [`${at}: is not a mapping`];
    }
    const entry = each as Mapping;
    const whose = JSON.stringify([entry['organization'] ?? null, entry['principal'] ?? null]);
    const twice = seen.has(whose) ? [`${at}: is for the same as an entry before it`] : [];
    seen.add(whose);
    return [...faultsOfEntry(entry).map((fault) => at + fault), ...twice];
  });
}

function faultsOfEntry(entry: Mapping): string[] {
  const faults = Object.keys(entry)
    .filter((key) => !KEYS.includes(key))
    .map((key) => `.${key}: is not a member of an override`);
  const named = ['organization', 'principal'].filter((key) => entry[key] !== undefined);
  if (named.length !== 1) faults.push(': needs either organization or principal');
  for (const key of named) {
    const name = entry[key];
    if (typeof name !== 'string' || name === '') faults.push(`.${key}: is not a name`);
  }
  for (const key of NUMBERS) {
    const value = entry[key];
    if (value !== undefined && !(Number.isInteger(value) && (value as number) >= 0)) {
      faults.push(`.${key}: is not a whole number from 0`);
    }
  }
  if (entry['storedBytes'] !== undefined && readSize(entry['storedBytes']) === undefined) {
    faults.push('.storedBytes: is not a size such as 512MiB, 4GiB');
  }
  return faults;
}
