import { type FieldViolation, invalidFields } from '../../common/hub-error.js';
import { spellingsOf } from '../../protocol/snake-case.js';
import type { Shape } from '../validation/shape.js';
import type { HttpRequest } from './http-binding.js';

/**
 * The members of an object that a query holds (A2A §11.5), under their camelCase or snake_case names, each
 * read as its shape says; the object is yet to be checked. Parameters that are no members are ignored.
 * Throws INVALID_PARAMS, naming it, for one that is there more than once.
 */
export function readQuery(
  { members = {} }: Shape,
  query: HttpRequest['query'],
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  const violations: FieldViolation[] = [];
  for (const [name, { shape }] of Object.entries(members)) {
    const [text, ...others] = valuesOf(name, query);
    if (others.length > 0) violations.push({ field: name, description: 'must not be repeated' });
    else if (text !== undefined) read[name] = shape.parse?.(text) ?? text;
  }
  if (violations.length > 0) throw invalidFields(violations);
  return read;
}

function valuesOf(name: string, query: HttpRequest['query']): string[] {
  return spellingsOf(name).flatMap((key) => query[key] ?? []);
}
