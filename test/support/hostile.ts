import fc from 'fast-check';
import type { Json, JsonObject } from './json.js';

/** A request as a hostile client sends it: bytes and headers that a library would not make. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Values that servers trip over, wherever one is put. */
const TRIPWIRES: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  '',
  ' ',
  'null',
  '__proto__',
  'constructor',
  '\u0000',
  '\ud800',
  '\u202e\ufeff',
  '../../etc/passwd',
  "'; DROP TABLE tasks; --",
  '${7*7}{{7*7}}',
  'x'.repeat(600),
  'x'.repeat(70_000),
  '2026-02-31T25:61:61Z',
  'http://169.254.169.254/latest/meta-data',
  'ftp://user:password@example.com',
  'ROLE_UNSPECIFIED',
  'TASK_STATE_UNKNOWN',
  [],
  {},
  [[]],
  [null],
  [{}],
  { length: 5 },
  { toString: null, valueOf: 1, constructor: { prototype: {} } },
  JSON.parse('{"__proto__":{"polluted":true},"hasOwnProperty":1}'),
  nested(70),
  nested(1000),
  Array.from({ length: 3000 }, () => 0),
];

const anyJson: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TRIPWIRES) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);

/** A document that was right, with one to four things wrong in it. */
export function mutated(template: JsonObject): fc.Arbitrary<Json> {
  return fc
    .array(fc.record({ at: fc.nat(), how: fc.nat(5), value: anyJson, name: anyName }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((faults) =>
      faults.reduce<Json>((document, { at, how, value, name }) => {
        const places = placesIn(document);
        return spoiled(document, places[at % places.length], how, structuredClone(value), name);
      }, structuredClone(template)),
    );
}

/** The bytes of a document: mostly its JSON, else JSON that was cut, torn or is none at all. */
export function bytesOf(document: fc.Arbitrary<Json>): fc.Arbitrary<Buffer> {
  const text = document.map((value) => JSON.stringify(value) ?? '');
  return fc.oneof(
    { weight: 8, arbitrary: text.map((json) => Buffer.from(json)) },
    { weight: 1, arbitrary: fc.tuple(text, fc.nat()).map(([json, at]) => cut(json, at)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(text, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 }))
        .map(([json, at, bytes]) => torn(json, at, bytes)),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...NO_JSON).map((json) => Buffer.from(json)),
    },
  );
}

/** Headers a client has no business to send, on top of those that let it in. */
export const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc
  .array(
    fc.constantFrom<readonly [string, string]>(
      ['a2a-version', '99.0'],
      ['a2a-version', '1'],
      ['a2a-version', '0.3.7'],
      ['a2a-version', '-1.0'],
      ['a2a-version', '1.0; DROP'],
      ['content-type', 'text/plain'],
      ['content-type', 'application/json; charset=utf-7'],
      ['content-type', 'multipart/form-data; boundary=x'],
      ['content-type', ';;;'],
      ['a2a-extensions', ','.repeat(2000)],
      ['a2a-extensions', 'urn:x,'.repeat(500)],
      ['x-a2a-extensions', '\u00e9'],
      ['idempotency-key', 'k'.repeat(300)],
      ['idempotency-key', ' '],
      ['last-event-id', '-1'],
      ['last-event-id', '99999999999999999999'],
      ['last-event-id', 'one'],
      ['traceparent', '00-0-0-0'],
      ['a2a-hub-hops', 'a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p'],
      ['accept', 'text/html'],
      ['accept-encoding', 'gzip;q=banana'],
      ['content-encoding', 'gzip'],
      ['connection', 'upgrade'],
      ['expect', 'nothing'],
    ),
    { maxLength: 2 },
  )
  .map((headers) => Object.fromEntries(headers));

/** A piece of a path or a query as nobody should write it. */
export const hostileSegment: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '.',
    '..',
    '%00',
    '%',
    '%zz',
    '%2e%2e%2f',
    '%ff%fe',
    ':cancel',
    ':subscribe',
    'a:b:c',
    '%3Acancel',
    'agents',
    'v1',
    'x'.repeat(1500),
    '%F0%9F%92%A9',
    "'%20OR%201=1",
    '__proto__',
    '*',
    '{id}',
  ),
  fc.string({ maxLength: 40 }).map(encodeURIComponent),
);

const anyName = fc.constantFrom('__proto__', 'constructor', 'id', 'kind', 'task_id', 'x-y', '');

const NO_JSON = ['', 'null', '[]', '"text"', '{', '{"a":1,}', '\ufeff{}', '{"a":1}{"b":2}', 'NaN'];

interface Place {
  readonly holder: Json;
  readonly key: string | number;
}

/** Every member of a document; the document itself is the place without a holder. */
function placesIn(document: Json): readonly (Place | undefined)[] {
  const places: (Place | undefined)[] = [undefined];
  const visit = (holder: Json, depth: number): void => {
    if (typeof holder !== 'object' || holder === null || depth > 12) return;
    for (const key of Object.keys(holder).slice(0, 50)) {
      places.push({ holder, key });
      visit(holder[key], depth + 1);
    }
  };
  visit(document, 0);
  return places;
}

function spoiled(
  document: Json,
  place: Place | undefined,
  how: number,
  value: Json,
  name: string,
): Json {
  if (place === undefined) return how === 0 ? value : document;
  const { holder, key } = place;
  if (how === 0) delete holder[key];
  else if (how === 1) holder[key] = [holder[key]];
  else if (how === 2) Object.defineProperty(holder, name, { value, ...OWN });
  else if (how === 3) Object.defineProperty(holder, snakeCase(key), { value, ...OWN });
  else holder[key] = value;
  return document;
}

const OWN = { enumerable: true, configurable: true, writable: true } as const;

function snakeCase(key: string | number): string {
  return String(key).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function cut(json: string, at: number): Buffer {
  return Buffer.from(json.slice(0, at % (json.length + 1)));
}

function torn(json: string, at: number, bytes: Uint8Array): Buffer {
  const position = at % (json.length + 1);
  return Buffer.concat([
    Buffer.from(json.slice(0, position)),
    bytes,
    Buffer.from(json.slice(position)),
  ]);
}

function nested(levels: number): Json {
  let value: Json = 'deep';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
