import { type FieldViolation, invalidFields } from '../common/hub-error.js';
import { nearest } from '../common/nearest.js';
import type { Source } from './directive-fields.js';
import { spellingsOf } from './snake-case.js';

/** The members of a routing directive, as docs/routing.md lists them. */
export const DIRECTIVE_MEMBERS = [
  'agentId',
  'skillId',
  'tags',
  'match',
  'strategy',
  'require',
  'quorum',
  'deadlineSeconds',
  'maxAgents',
  'maxCalls',
  'steps',
  'synthesizer',
  'replyTo',
  'idempotencyKey',
] as const;

/** The members of a target. */
export const TARGET_MEMBERS = ['agentId', 'skillId', 'tags', 'match'] as const;

/** The plain keys of metadata that are understood too. */
export const PLAIN_KEYS = ['agentId', 'skillId', 'skillTags'] as const;

/** Most faults of one request that are said. */
const MAX_FAULTS = 10;
/** Characters of a member's name that are said. */
const MAX_NAME = 64;

/** Throws INVALID_PARAMS when a source has members of other names, each with the name that may be meant. */
export function refuseUnknown(sources: readonly Source[], known: readonly string[]): void {
  const names = spellings(known);
  const faults = sources.flatMap(({ values, path }) =>
    unlike(values, names).map((key) => ({
      field: `${path}.${key.slice(0, MAX_NAME)}`,
      description: `is not known: ${meant(key, known)}`,
    })),
  );
  refuse(faults);
}

/**
 * Throws INVALID_PARAMS when members of the directive stand as plain keys beside one that is read: they would
 * do nothing. Where no plain key is read they are the agent's own.
 */
export function refuseMisplaced(sources: readonly Source[], uri: string): void {
  const read = spellings(PLAIN_KEYS);
  const beside = [...read].find((key) => sources.some(({ values }) => isThere(values[key])));
  if (beside === undefined) return;
  const misplaced = [...spellings(DIRECTIVE_MEMBERS)].filter((key) => !read.has(key));
  const faults = sources.flatMap(({ values, path }) =>
    misplaced
      .filter((key) => isThere(values[key]))
      .map((key) => ({
        field: `${path}.${key}`,
        description: `does nothing as a plain key beside ${beside}: put what the hub is to read under "${uri}" in the metadata; there ${beside} too leaves a plain ${key} to the agent`,
      })),
  );
  refuse(faults);
}

/**
 * Throws INVALID_PARAMS when a plain key is one of {@link PLAIN_KEYS} but for case, `_` and `-` (`agentID`,
 * `skill-tags`): the message would silently go to another agent. Where `data`, the directive's own, says who is
 * asked by that member, it is the agent's own.
 */
export function refuseMisspelt(sources: readonly Source[], data: readonly Source[]): void {
  const known = spellings(PLAIN_KEYS);
  const faults: FieldViolation[] = [];
  for (const { values, path } of sources) {
    for (const key in values) {
      if (key.length > MAX_NAME || known.has(key) || !isThere(values[key])) continue;
      const name = plainKeyOf(key);
      if (name === undefined || isSaid(data, name)) continue;
      faults.push({ field: `${path}.${key}`, description: `does nothing: is ${name} meant?` });
    }
  }
  refuse(faults);
}

const BARE = new Map(PLAIN_KEYS.map((name) => [bareOf(name), name]));
const SHORTEST = Math.min(...PLAIN_KEYS.map(({ length }) => length));

/** The key that is meant by one that only differs in case, `_` and `-`. */
function plainKeyOf(key: string): (typeof PLAIN_KEYS)[number] | undefined {
  return key.length < SHORTEST ? undefined : BARE.get(bareOf(key));
}

function isSaid(data: readonly Source[], plain: (typeof PLAIN_KEYS)[number]): boolean {
  const member = plain === 'skillTags' ? 'tags' : plain;
  return data.some(({ values }) => [...spellings([member])].some((key) => isThere(values[key])));
}

function bareOf(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase();
}

function unlike(values: Source['values'], names: ReadonlySet<string>): string[] {
  const found: string[] = [];
  for (const key in values) {
    if (!names.has(key) && found.push(key) === MAX_FAULTS) break;
  }
  return found;
}

const spelled = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Each name in camelCase and in snake_case; of one list they are made once. */
function spellings(names: readonly string[]): ReadonlySet<string> {
  let all = spelled.get(names);
  if (all === undefined) {
    all = new Set(names.flatMap(spellingsOf));
    spelled.set(names, all);
  }
  return all;
}

function meant(key: string, known: readonly string[]): string {
  const [best] = nearest(bareOf(key.slice(0, MAX_NAME)), known.map(bareOf));
  const name = known.find((each) => bareOf(each) === best);
  return name === undefined ? `the members are ${known.join(', ')}` : `is ${name} meant?`;
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function refuse(faults: readonly FieldViolation[]): void {
  if (faults.length > 0) throw invalidFields(faults.slice(0, MAX_FAULTS));
}
