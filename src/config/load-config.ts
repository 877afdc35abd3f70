import { AppConfig } from './app-config.js';
import { checkSettings } from './check-settings.js';
import { ConfigError, type ConfigProblem } from './config-error.js';
import { PACKAGE_ROOT } from './package-info.js';
import { fileOf, resolveReference } from './reference.js';
import { type AnySetting, environmentName, settingsOf } from './setting.js';
import { SETTINGS, type Settings } from './settings.js';
import { readConfigFile, type Written } from './source-files.js';
import { readStandardVariables } from './standard-variables.js';

/** The commented file that holds every key; it is read before everything else. */
const DEFAULT_FILE = `${PACKAGE_ROOT}config/default.yaml`;

/** Names the file of the operator. */
export const FILE_VARIABLE = 'A2A_HUB_CONFIG';
const PREFIX = 'A2A_HUB__';

/** A part of the settings, by members and plain values (milliseconds, bytes), as tests give them. */
export type ConfigOverrides = Overrides<Omit<Settings, 'card'>> & {
  card?: Overrides<Omit<Settings['card'], 'provider'>> & {
    provider?: { organization: string; url: string } | null;
  };
};
type Overrides<T> = {
  [K in keyof T]?: T[K] extends readonly unknown[]
    ? T[K]
    : T[K] extends object
      ? Overrides<T[K]>
      : T[K];
};

/**
 * The configuration of a process: `config/default.yaml`, then the file that `A2A_HUB_CONFIG` names,
 * then variables `A2A_HUB__SECTION__KEY`. Throws a {@link ConfigError} that lists everything wrong.
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): AppConfig {
  const problems: ConfigProblem[] = [];
  const written = readDefaults(problems);
  const file = environment[FILE_VARIABLE];
  if (file !== undefined) readConfigFile(file, FILE_VARIABLE, written, problems);
  readEnvironment(environment, written, problems);
  readStandardVariables(environment, written, problems, DEFAULT_FILE);
  const values = readValues(written, environment, problems);
  // Relations between settings are looked at even when others are wrong: all errors at once. Of those that are wrong nothing can be said.
  const between = checkSettings(values, (key) => written.get(key)?.source ?? 'default');
  const wrong = problems.map(({ key }) => key.replace(/\[.*/, ''));
  problems.push(
    ...between.filter(({ key, text }) => !wrong.some((one) => `${key}: ${text}`.includes(one))),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return new AppConfig(values);
}

/** What `config/default.yaml` says, for {@link configWith}, which a process of tests calls a thousand times. */
let defaults: ReadonlyMap<string, Written> | undefined;

/** The configuration of `config/default.yaml` with some members replaced; the environment is ignored. */
export function configWith(overrides: ConfigOverrides): AppConfig {
  const problems: ConfigProblem[] = [];
  const written = defaults ?? readDefaults(problems);
  // What is wrong with the file is said each time.
  if (problems.length === 0) defaults = written;
  const values = readValues(written, {}, problems);
  for (const { path } of settingsOf(SETTINGS)) {
    const value = path.reduce<unknown>(memberOf, overrides);
    if (value !== undefined) assign(values, path, value);
  }
  problems.push(...checkSettings(values, () => 'override'));
  if (problems.length > 0) throw new ConfigError(problems);
  return new AppConfig(values);
}

function readDefaults(problems: ConfigProblem[]): Map<string, Written> {
  const written = new Map<string, Written>();
  readConfigFile(DEFAULT_FILE, 'file', written, problems);
  return written;
}

/** Every key with its value as YAML would have it, secrets masked: the summary logged at start. */
export function summarize(config: AppConfig): Record<string, unknown> {
  const summary: Record<string, unknown> = {};
  for (const { path, key, setting } of settingsOf(SETTINGS)) {
    const value = path.reduce<unknown>(memberOf, config) ?? null;
    summary[key] = shown(setting, value);
  }
  return summary;
}

function shown(setting: AnySetting, value: unknown): unknown {
  if (value === null) return null;
  return setting.secret ? setting.mask(value) : setting.write(value);
}

function readEnvironment(
  environment: NodeJS.ProcessEnv,
  written: Map<string, Written>,
  problems: ConfigProblem[],
): void {
  const keys = new Map([...settingsOf(SETTINGS)].map(({ key }) => [environmentName(key), key]));
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || value === undefined) continue;
    const key = keys.get(variable);
    if (key !== undefined) written.set(key, { value, source: variable, kind: 'environment' });
    else
      problems.push({ key: variable, source: 'environment', text: 'is not a setting of the hub' });
  }
}

function readValues(
  written: ReadonlyMap<string, Written>,
  environment: NodeJS.ProcessEnv,
  problems: ConfigProblem[],
): Settings {
  const values = {};
  for (const { path, key, setting } of settingsOf(SETTINGS)) {
    const entry = written.get(key);
    const value: unknown = entry
      ? readEntry(key, setting, entry, environment, problems)
      : setting.default;
    assign(values, path, value);
  }
  return values as Settings;
}

/** The value of one entry; the default after noting a problem, so that the other checks can go on. */
function readEntry(
  key: string,
  setting: AnySetting,
  entry: Written,
  environment: NodeJS.ProcessEnv,
  problems: ConfigProblem[],
): unknown {
  const raw = setting.reference ? rawValue(setting, entry) : entry.value;
  const resolved = setting.reference ? resolveReference(raw, environment) : entry;
  if ('failure' in resolved) {
    problems.push({ key, source: entry.source, text: resolved.failure });
    return setting.default;
  }
  const value: unknown = setting.read(
    resolved.value,
    entry.kind,
    setting.reference ? fileOf(raw) : undefined,
  );
  if (value !== undefined) return value;
  const faults = setting.faults(resolved.value);
  for (const fault of faults) problems.push({ key, source: entry.source, text: fault });
  if (faults.length > 0) return setting.default;
  const quoted = setting.secret ? 'the value (not shown)' : JSON.stringify(entry.value);
  problems.push({ key, source: entry.source, text: `${quoted} is not ${setting.allowed}` });
  return setting.default;
}

function rawValue({ list }: AnySetting, { value, kind }: Written): unknown {
  const isList = list && kind === 'environment' && typeof value === 'string';
  return isList ? value.split(',').map((entry) => entry.trim()) : value;
}

function assign(target: object, path: readonly string[], value: unknown): void {
  let node = target as Record<string, unknown>;
  for (const member of path.slice(0, -1)) node = (node[member] ??= {}) as Record<string, unknown>;
  node[path.at(-1)!] = value;
}

/** A member of what may be no object, which then has none. */
export function memberOf(node: unknown, member: string): unknown {
  return typeof node === 'object' && node !== null
    ? (node as Record<string, unknown>)[member]
    : undefined;
}
