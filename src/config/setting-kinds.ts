import { Setting, type SettingOptions, type SourceKind } from './setting.js';
import { isUrl } from '../common/is-url.js';

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;
const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DAY_MS = UNIT_MS.d;
/** By what part a product of two numbers may be off, with much to spare. */
const ROUNDING = 1e-12;
/** The longest span a Node timer takes is a little more than this. */
const LONGEST_MS = 24 * DAY_MS;
const SIZE = /^(\d+)(B|KiB|MiB|GiB)?$/;
const UNIT_BYTES = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/** Free text. */
export function text(
  options: SettingOptions<string> & { pattern?: RegExp; allowed?: string },
): Setting<string> {
  return new Setting(options, options.allowed ?? 'text that is not empty', (input) =>
    readText(input, options.pattern),
  );
}

/** Text or nothing: `null` in YAML, an empty variable in the environment. */
export function optionalText(
  options: SettingOptions<string | null> & { pattern?: RegExp; allowed?: string },
): Setting<string | null> {
  return new Setting<string | null>(options, options.allowed ?? 'text, or null for none', (input) =>
    isNone(input) ? null : readText(input, options.pattern),
  );
}

/** One of a few words. */
export function choice<const T extends string>(
  words: readonly T[],
  options: SettingOptions<NoInfer<T>>,
): Setting<T> {
  return new Setting<T>(options, `one of ${words.join(', ')}`, (input) =>
    words.find((word) => word === input),
  );
}

/** A list of some of a few words. */
export function choices<const T extends string>(
  words: readonly T[],
  options: SettingOptions<readonly NoInfer<T>[]>,
): Setting<readonly T[]> {
  const isWord = (each: unknown): each is T => words.some((word) => word === each);
  const faults = (input: unknown): string[] =>
    (readList(input, 'environment') ?? []).flatMap((each, index) =>
      isWord(each) ? [] : [`[${index}]: ${JSON.stringify(each)} is not one of ${words.join(', ')}`],
    );
  return new Setting<readonly T[]>(
    { ...options, faults },
    `a list of ${words.join(', ')}`,
    (input, source) => {
      const list = readList(input, source);
      return list?.every(isWord) ? list : undefined;
    },
  );
}

/** True or false. */
export function flag(options: SettingOptions<boolean>): Setting<boolean> {
  return new Setting(options, 'true or false', (input, source) => {
    if (typeof input === 'boolean') return input;
    if (source !== 'environment') return undefined;
    return input === 'true' ? true : input === 'false' ? false : undefined;
  });
}

/** A number within limits, both included; whole unless `decimals` is set. */
export function number(
  options: SettingOptions<number> & { min: number; max: number; decimals?: boolean },
): Setting<number> {
  const { min, max, decimals = false } = options;
  const allowed = `a ${decimals ? 'number' : 'whole number'} from ${min} to ${max}`;
  return new Setting(options, allowed, (input, source) => {
    const value = source === 'environment' && isNumeral(input) ? Number(input) : input;
    if (typeof value !== 'number' || !(value >= min && value <= max)) return undefined;
    return decimals || Number.isInteger(value) ? value : undefined;
  });
}

/** A span of time, kept in milliseconds. */
export function duration(
  options: SettingOptions<number> & { min?: number; max?: number },
): Setting<number> {
  const { min = 0, max = LONGEST_MS } = options;
  const allowed = `a duration such as 500ms, 5s, 10m, 24h, from ${writeDuration(min)} to ${writeDuration(max)}`;
  return new Setting(
    options,
    allowed,
    (input) => within(readDuration(input), min, max),
    writeDuration,
  );
}

/** A span of time, kept in whole days. */
export function days(
  options: SettingOptions<number> & { min: number; max: number },
): Setting<number> {
  const { min, max } = options;
  return new Setting(
    options,
    `a duration in whole days, from ${min}d to ${max}d`,
    (input) => {
      const value = (readDuration(input) ?? NaN) / DAY_MS;
      return Number.isInteger(value) ? within(value, min, max) : undefined;
    },
    (value) => `${value}d`,
  );
}

/** Spans of time in order, kept in milliseconds. */
export function durations(options: SettingOptions<readonly number[]>): Setting<readonly number[]> {
  return new Setting<readonly number[]>(
    options,
    'a list of durations such as 500ms, 5s, 10m, 24h',
    (input, source) => {
      const values = readList(input, source)?.map(readDuration);
      return values?.every((value) => value !== undefined) ? values : undefined;
    },
    (values) => values.map(writeDuration),
  );
}

/** An amount of data, kept in bytes. */
export function size(
  options: SettingOptions<number> & { min: number; max: number },
): Setting<number> {
  const { min, max } = options;
  const allowed = `a size such as 512B, 64KiB, 10MiB, from ${writeSize(min)} to ${writeSize(max)}`;
  return new Setting(options, allowed, (input) => within(readSize(input), min, max), writeSize);
}

/** A list of texts. */
export function texts(options: SettingOptions<readonly string[]>): Setting<readonly string[]> {
  return new Setting<readonly string[]>(options, 'a list of texts', (input, source) => {
    const values = readList(input, source);
    return values?.every((value) => typeof value === 'string' && value !== '')
      ? (values as string[])
      : undefined;
  });
}

/** A list of TCP ports. */
export function ports(options: SettingOptions<readonly number[]>): Setting<readonly number[]> {
  return new Setting<readonly number[]>(
    options,
    'a list of whole numbers from 1 to 65535',
    (input, source) => {
      const values = readList(input, source)?.map((entry) =>
        source === 'environment' && isNumeral(entry) ? Number(entry) : entry,
      );
      const valid = (entry: unknown): entry is number =>
        Number.isInteger(entry) && Number(entry) >= 1 && Number(entry) <= 65_535;
      return values?.every(valid) ? values : undefined;
    },
  );
}

/** An absolute http or https address without user, query or fragment; kept without a final slash. */
export function optionalHttpUrl(options: SettingOptions<string | null>): Setting<string | null> {
  const allowed = 'an http or https address without user, query and fragment, or null';
  return new Setting<string | null>(options, allowed, (input) => {
    if (isNone(input)) return null;
    if (typeof input !== 'string' || !isUrl(input)) return undefined;
    const url = new URL(input);
    const plain = url.username + url.password + url.search + url.hash === '';
    if (!plain || !/^https?:$/.test(url.protocol)) return undefined;
    return url.href.replace(/\/+$/, '');
  });
}

/** Milliseconds of `500ms`, `5s`, `10m`, `24h` or `30d`; undefined for anything else. Plain 0 is 0. */
export function readDuration(input: unknown): number | undefined {
  if (input === 0 || input === '0') return 0;
  const match = typeof input === 'string' ? DURATION.exec(input) : null;
  if (!match) return undefined;
  const ms = Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
  // 1.1 h are 3960000.0000000005 ms in floating point.
  const whole = Math.round(ms);
  return Math.abs(ms - whole) <= ms * ROUNDING ? whole : undefined;
}

/** The shortest exact way to write that many milliseconds; days only where hours run past two days. */
export function writeDuration(ms: number): string {
  if (ms !== 0 && ms % DAY_MS === 0 && ms > 2 * DAY_MS) return `${ms / DAY_MS}d`;
  for (const unit of ['h', 'm', 's'] as const) {
    if (ms !== 0 && ms % UNIT_MS[unit] === 0) return `${ms / UNIT_MS[unit]}${unit}`;
  }
  return ms === 0 ? '0s' : `${ms}ms`;
}

/** Bytes of `512B`, `64KiB`, `10MiB`, `4GiB`; undefined for anything else. Plain 0 is 0. */
function readSize(input: unknown): number | undefined {
  if (input === 0) return 0;
  const match = typeof input === 'string' ? SIZE.exec(input) : null;
  if (!match) return undefined;
  return Number(match[1]) * UNIT_BYTES[(match[2] ?? 'B') as keyof typeof UNIT_BYTES];
}

function writeSize(bytes: number): string {
  for (const unit of ['GiB', 'MiB', 'KiB'] as const) {
    if (bytes !== 0 && bytes % UNIT_BYTES[unit] === 0) return `${bytes / UNIT_BYTES[unit]}${unit}`;
  }
  return `${bytes}B`;
}

function readText(input: unknown, pattern?: RegExp): string | undefined {
  if (typeof input !== 'string' || input === '') return undefined;
  return pattern && !pattern.test(input) ? undefined : input;
}

/** The entries of a list; in the environment they stand between commas. */
export function readList(input: unknown, source: SourceKind): unknown[] | undefined {
  if (Array.isArray(input)) return input as unknown[];
  if (source !== 'environment' || typeof input !== 'string') return undefined;
  return input
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function isNone(input: unknown): boolean {
  return input === null || input === '';
}

function isNumeral(input: unknown): boolean {
  return typeof input === 'string' && /^-?\d+(\.\d+)?$/.test(input);
}

function within(value: number | undefined, min: number, max: number): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
}
