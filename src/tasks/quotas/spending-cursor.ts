import { createHash } from 'node:crypto';
import { issueCursor, readCursor } from '../../common/cursor.js';
import { storable } from '../../database/text.js';
import type { SpendingPlace } from '../../limits/index.js';
import type { SpendingQueryDto } from './spending.dto.js';

const LIST = 'spending';
const TEXTS = ['organization', 'principal', 'agent', 'skill', 'unit'] as const;

/** The `nextCursor` behind this sum, of this query alone. */
export function cursorBehind(place: SpendingPlace, query: SpendingQueryDto): string {
  const members = [place.month, ...TEXTS.map((member) => place[member])];
  return issueCursor(LIST, JSON.stringify([digestOf(query), ...members]));
}

/** The sum that a cursor is behind; throws INVALID_PARAMS for one of another query. */
export function placeIn(cursor: string, query: SpendingQueryDto): SpendingPlace {
  const text = readCursor(LIST, cursor, (id) => membersIn(id, query) !== undefined);
  const [month, organization, principal, agent, skill, unit] = membersIn(text, query)!;
  return { month, organization, principal, agent, skill, unit } as SpendingPlace;
}

function membersIn(text: string, query: SpendingQueryDto): readonly unknown[] | undefined {
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(written) || written.length !== TEXTS.length + 2) return undefined;
  const [digest, month, ...texts] = written as readonly unknown[];
  const isPlace =
    digest === digestOf(query) &&
    Number.isSafeInteger(month) &&
    typeof texts.at(-1) === 'string' &&
    texts.every((each) => each === null || (typeof each === 'string' && storable(each) === each));
  return isPlace ? [month, ...texts] : undefined;
}

function digestOf({ by, organization, principal, agent, from, to }: SpendingQueryDto): string {
  const members = [by, organization, principal, agent, from, to].map((each) => each ?? null);
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url').slice(0, 16);
}
