import { NOT_STORABLE } from '../common/not-storable.js';
import { invalidField } from '../common/hub-error.js';
import { spellingsOf } from './snake-case.js';

/** Reads one value, or throws HubError INVALID_PARAMS naming `field`. */
export type Parse<T> = (value: unknown, field: string) => T;

/** Where a member may stand: a group of values and the path by which errors name it. */
export interface Source {
  readonly values: Readonly<Record<string, unknown>>;
  readonly path: string;
}

/** A value and the path it was found at. */
export interface FoundValue<T> {
  readonly value: T;
  readonly field: string;
}

/** The first source that has the member, in camelCase or snake_case. */
export function findMember<T>(
  sources: readonly Source[],
  name: string,
  parse: Parse<T>,
): FoundValue<T> | undefined {
  const keys = spellingsOf(name);
  for (const { values, path } of sources) {
    for (const key of keys) {
      const value = values[key];
      if (value === undefined || value === null) continue;
      const field = path === '' ? key : `${path}.${key}`;
      return { value: parse(value, field), field };
    }
  }
  return undefined;
}

export function textUpTo(limit: number): Parse<string> {
  return (value, field) => {
    const isText = typeof value === 'string' && value !== '' && value.length <= limit;
    if (isText && !NOT_STORABLE.test(value)) return value;
    throw invalidField(
      field,
      `must be a string of 1 to ${limit} characters, without U+0000 and halves of surrogate pairs`,
    );
  };
}

/** A list of up to `limit` texts, trimmed; a single string is a list separated by commas. */
export function textList(limit: number, what: string, text: Parse<string>): Parse<string[]> {
  return (value, field) => {
    const list: unknown[] =
      typeof value === 'string' ? value.split(',', limit + 1) : asArray(value, field);
    if (list.length === 0 || list.length > limit) {
      throw invalidField(field, `must hold 1 to ${limit} ${what}`);
    }
    return list.map((each, i) =>
      text(typeof each === 'string' ? each.trim() : each, `${field}[${i}]`),
    );
  };
}

/** A list of 1 to `limit` of what `parse` reads. */
export function listUpTo<T>(limit: number, what: string, parse: Parse<T>): Parse<T[]> {
  return (value, field) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > limit) {
      throw invalidField(field, `must be a list of 1 to ${limit} ${what}`);
    }
    return value.map((each: unknown, i) => parse(each, `${field}[${i}]`));
  };
}

export function oneOf<T extends string>(choices: readonly T[]): Parse<T> {
  return (value, field) => {
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw invalidField(field, `must be one of: ${choices.join(', ')}`);
  };
}

export function secondsUpTo(limit: number): Parse<number> {
  return (value, field) => {
    if (typeof value === 'number' && value > 0 && value <= limit) return value;
    throw invalidField(field, `must be a number of seconds above 0 and at most ${limit}`);
  };
}

export function countUpTo(limit: number): Parse<number> {
  return (value, field) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= limit) {
      return value;
    }
    throw invalidField(field, `must be a whole number from 1 to ${limit}`);
  };
}

export function withoutUndefined<T extends object>(
  value: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in value) {
    const member = value[key];
    if (member !== undefined) given[key] = member as Exclude<T[typeof key], undefined>;
  }
  return given;
}

function asArray(value: unknown, field: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw invalidField(field, 'must be a list of strings');
}
