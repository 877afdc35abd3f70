import { NOT_STORABLE } from '../../common/not-storable.js';
import { isRecord } from '../../common/is-record.js';
import { MAX_PAGE_SIZE } from '../../common/page.js';
import { TaskState } from '../../protocol/a2a.js';
import { type Shape, leaf, listOf, optional, required } from './shape.js';
import { isFiniteWithin, MAX_NESTING } from '../../common/json-limits.js';

/** The longest id, in UTF-16 units: ids are keys of the database. */
const MAX_ID_LENGTH = 512;

/** The most parts of a message. */
export const MAX_PARTS = 1000;
/** The most extensions, reference ids, output modes and schemes that a message, and extensions that its headers, may name. */
export const MAX_NAMED = 100;
/** The longest name of a media type, an extension or a file, in UTF-16 units. */
export const MAX_NAME_LENGTH = 4096;

const MAX_INT32 = 2 ** 31 - 1;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** RFC 3339 with a zone. */
const TIMESTAMP =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

export const text: Shape = leaf('a string', (value) => typeof value === 'string');

/** What names something: a media type, an extension, a file. */
export const name: Shape = leaf(
  `a string of at most ${MAX_NAME_LENGTH} characters`,
  (value) => typeof value === 'string' && value.length <= MAX_NAME_LENGTH,
);

export const nonEmptyText: Shape = leaf(
  'a non-empty string',
  (value) => typeof value === 'string' && value !== '',
);

/** An id that must be there. */
export const id: Shape = leaf(
  `a non-empty string of at most ${MAX_ID_LENGTH} characters without U+0000`,
  (value) => isId(value) && value !== '',
);

/** An id that may be empty, which means there is none. */
export const idOrEmpty: Shape = leaf(
  `a string of at most ${MAX_ID_LENGTH} characters without U+0000`,
  isId,
);

/** The ids of a message, in every version. */
export const messageIds = {
  messageId: required(id),
  contextId: optional(idOrEmpty),
  taskId: optional(idOrEmpty),
};

/** What a message names, in every version. */
export const messageLists = {
  extensions: optional(listOf(name, 0, MAX_NAMED)),
  referenceTaskIds: optional(listOf(id, 0, MAX_NAMED)),
};

export const flag: Shape = leaf(
  'true or false',
  (value) => typeof value === 'boolean',
  (text) => (text === 'true' ? true : text === 'false' ? false : text),
);

/** A number of things: 0 or more. */
export const count: Shape = leaf(
  'an integer of 0 or more',
  (value) => isInteger(value, 0),
  integerOf,
);

/** 0 is the default: what a message without the field means in protobuf, and what Go clients send. */
export const pageSize: Shape = leaf(
  `an integer from 1 to ${MAX_PAGE_SIZE}, or 0 for the default`,
  (value) => isInteger(value, 0) && Number(value) <= MAX_PAGE_SIZE,
  integerOf,
);

export const base64: Shape = leaf('base64', (value) => {
  if (typeof value !== 'string' || !BASE64.test(value)) return false;
  const digits = value.replace(/=+$/, '').length;
  return digits % 4 !== 1 && (digits === value.length || value.length % 4 === 0);
});

export const timestamp: Shape = leaf(
  'an ISO 8601 time with a zone (2026-01-31T12:00:00.000Z)',
  (value) => typeof value === 'string' && TIMESTAMP.test(value) && isRealDay(value),
);

/** Any JSON value, within {@link MAX_NESTING}. */
export const freeValue: Shape = leaf(
  `JSON of finite numbers, nested at most ${MAX_NESTING} levels deep`,
  (value) => isFiniteWithin(value, MAX_NESTING),
);

/** Any JSON object, within {@link MAX_NESTING}. */
export const freeObject: Shape = leaf(
  `an object of finite numbers, nested at most ${MAX_NESTING} levels deep`,
  (value) => isRecord(value) && isFiniteWithin(value, MAX_NESTING),
);

/** What 0.x clients put into a data part: an object, or the array that some send in its place. */
export const freeObjectOrArray: Shape = leaf(
  `an object or array of finite numbers, nested at most ${MAX_NESTING} levels deep`,
  (value) => (isRecord(value) || Array.isArray(value)) && isFiniteWithin(value, MAX_NESTING),
);

/** One of these strings. */
export function enumeration(names: readonly string[]): Shape {
  const known = new Set<unknown>(names);
  return leaf(`one of ${names.join(', ')}`, (value) => known.has(value));
}

/** A task state by its ProtoJSON name. */
export const taskState: Shape = enumeration(
  Object.values(TaskState).filter(
    (name): name is string => typeof name === 'string' && name !== 'UNRECOGNIZED',
  ),
);

function isId(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_ID_LENGTH && !NOT_STORABLE.test(value);
}

function isInteger(value: unknown, minimum: number): boolean {
  return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= MAX_INT32;
}

/** Digits only: no sign, no exponent, no space. */
function integerOf(text: string): unknown {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** False for the 31st of February. */
function isRealDay(value: string): boolean {
  const [year, month, day] = value.slice(0, 10).split('-').map(Number) as [number, number, number];
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
