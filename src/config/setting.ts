/**
 * The vocabulary in which `app-config.ts` declares the hub's settings. A declaration is the only
 * source for validation, documentation (`docs/configuration.md`, `config/default.yaml`) and masking.
 */

/** Where a raw value came from. The environment knows text only, so numbers are read from text there. */
export type SourceKind = 'file' | 'environment';

export interface SettingOptions<T> {
  readonly default: T;
  /** What it does, in full sentences; the unit and the meaning of special values included. */
  readonly description: string;
  /** The name in YAML where it is not the member's name without its unit (`idleMs` is `idle`). */
  readonly name?: string;
  /** Never shown in logs, errors or summaries; may be given as `env:NAME` or `file:PATH`. */
  readonly secret?: boolean;
  /** May be given as `env:NAME` or `file:PATH`, as secrets may. */
  readonly reference?: boolean;
  /** A list of which each entry may be a reference; in the environment its entries stand between commas. */
  readonly list?: boolean;
  /** Where a value that cannot be read is wrong (`[1].id: …` each), without showing it. */
  readonly faults?: (input: unknown) => readonly string[];
  /** A secret as it may be shown; by default not at all. */
  readonly mask?: (value: T) => string;
  /** The texts of a secret that are for nobody but the hub; by default the text itself. */
  readonly ownSecrets?: (value: T) => readonly string[];
}

/** One key of the configuration. */
export class Setting<T> {
  readonly default: T;
  readonly description: string;
  readonly name: string | undefined;
  readonly secret: boolean;
  readonly reference: boolean;
  readonly list: boolean;
  readonly mask: (value: T) => string;
  readonly faults: (input: unknown) => readonly string[];
  readonly ownSecrets: (value: T) => readonly string[];

  constructor(
    options: SettingOptions<T>,
    /** What may be written, for error messages and documentation. */
    readonly allowed: string,
    /** The value of what was written, or undefined when it is not allowed; `file` is where a `file:PATH` has led. */
    readonly read: (input: unknown, source: SourceKind, file?: string) => T | undefined,
    /** The value as it is written in YAML. */
    readonly write: (value: T) => unknown = (value) => value,
  ) {
    this.default = options.default;
    this.description = options.description;
    this.name = options.name;
    this.secret = options.secret ?? false;
    this.reference = options.reference ?? this.secret;
    this.list = options.list ?? false;
    this.mask = options.mask ?? (() => '********');
    this.faults = options.faults ?? (() => []);
    this.ownSecrets =
      options.ownSecrets ?? ((value) => (this.secret && typeof value === 'string' ? [value] : []));
  }
}

/** A group of settings: one mapping of the YAML file. */
export class Section<M extends Members = Members> {
  constructor(
    readonly description: string,
    readonly members: M,
  ) {}
}

// A setting is both producer and consumer of its value, so only `any` stands for all of them.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnySetting = Setting<any>;
export type Members = { readonly [name: string]: AnySetting | Section };

/** The plain values that belong to a declaration. */
export type ValuesOf<M extends Members> = {
  readonly [K in keyof M]: M[K] extends Setting<infer T>
    ? T
    : M[K] extends Section<infer N>
      ? ValuesOf<N>
      : never;
};

/** The name in YAML: the member's name without its unit, since the value states its unit there. */
export function writtenName(member: string, setting: AnySetting | Section): string {
  if (setting instanceof Section) return member;
  return setting.name ?? member.replace(/(Ms|Days|Bytes)$/, '');
}

/** `tasks.blockingWait` is `A2A_HUB__TASKS__BLOCKING_WAIT`. */
export function environmentName(key: string): string {
  const parts = key.split('.').map((part) => part.replace(/([A-Z])/g, '_$1').toUpperCase());
  return ['A2A_HUB', ...parts].join('__');
}

/** Every setting below `members`, with the path of its member and of its key. */
export function* settingsOf(
  members: Members,
  path: readonly string[] = [],
  keys: readonly string[] = [],
): Generator<{ path: readonly string[]; key: string; setting: AnySetting }> {
  for (const [member, node] of Object.entries(members)) {
    const name = writtenName(member, node);
    if (node instanceof Section)
      yield* settingsOf(node.members, [...path, member], [...keys, name]);
    else yield { path: [...path, member], key: [...keys, name].join('.'), setting: node };
  }
}
