import { isRecord } from '../common/is-record.js';
import { Part } from '@a2a-js/sdk';
import { Base64, base64Of } from '../common/json-in-turns.js';
import { LONG, TurnCounter } from '../common/long-work.js';

/** Bytes from which {@link withLateBytes} leaves base64 for later. */
const LATE_BYTES = LONG / 4;

/** Characters of base64 from which {@link decodeBytes} decodes it: many such texts are as long as one. */
const EARLY_TEXT = LONG / 64;

let isLate = false;

/**
 * Mends what the SDK's `Part` does with bytes: it copies them twice on their way out of base64 and once on
 * their way into it. It also takes bytes where {@link decodeBytes} has put them, and gives them as they are
 * within {@link withLateBytes}.
 */
export function quickBytes(): void {
  const fromJSON = Part.fromJSON.bind(Part);
  const toJSON = Part.toJSON.bind(Part);
  Part.fromJSON = (json: unknown): Part => {
    const bytes = bytesIn(json);
    if (bytes === undefined) return fromJSON(json);
    const part = fromJSON({ ...(json as object), raw: undefined });
    part.content = { $case: 'raw', value: bytes };
    return part;
  };
  Part.toJSON = (part: Part): unknown => {
    const { content } = part;
    if (content?.$case !== 'raw') return toJSON(part);
    const isLeft = isLate && content.value.byteLength > LATE_BYTES;
    const raw = isLeft ? new Base64(content.value) : base64Of(content.value);
    return { raw, ...(toJSON({ ...part, content: undefined }) as object) };
  };
}

/**
 * What `encode` makes of the SDK's types, with long bytes as {@link Base64}: for what is then written in
 * turns. It must not be async.
 */
export function withLateBytes<T>(encode: () => T): T {
  isLate = true;
  try {
    return encode();
  } finally {
    isLate = false;
  }
}

/**
 * Decodes the long bytes of a task, a message or an answer with one of them, in wire JSON, in place and in turns of the
 * event loop, for `fromJSON` to find them.
 */
export async function decodeBytes(answer: unknown): Promise<void> {
  const turns = new TurnCounter(LONG);
  for (const part of partsIn(answer)) {
    if (!isRecord(part)) continue;
    const { raw } = part;
    if (typeof raw !== 'string' || raw.length < EARLY_TEXT) continue;
    const turn = turns.next(raw.length);
    if (turn !== undefined) await turn;
    part['raw'] = Buffer.from(raw, 'base64');
  }
}

function bytesIn(json: unknown): Buffer | undefined {
  if (!isRecord(json)) return undefined;
  const { text, raw } = json;
  if (text !== undefined && text !== null) return undefined;
  if (typeof raw === 'string') return Buffer.from(raw, 'base64');
  if (raw instanceof Base64) {
    const { buffer, byteOffset, byteLength } = raw.bytes;
    return Buffer.from(buffer, byteOffset, byteLength);
  }
  return Buffer.isBuffer(raw) ? raw : undefined;
}

/** All parts of a task, a message, an event or an answer with one of them, which may be anything. */
export function partsIn(json: unknown): readonly unknown[] {
  const parts: unknown[] = [];
  collectParts(json, parts);
  return parts;
}

function collectParts(json: unknown, parts: unknown[]): void {
  if (!isRecord(json)) return;
  for (const part of listIn(json['parts'])) parts.push(part);
  for (const name of LISTS) {
    for (const each of listIn(json[name])) {
      if (isRecord(each)) for (const part of listIn(each['parts'])) parts.push(part);
    }
  }
  for (const name of MEMBERS) if (name in json) collectParts(json[name], parts);
}

const LISTS = ['artifacts', 'history'] as const;
const MEMBERS = [
  'task',
  'message',
  'status',
  'artifact',
  'statusUpdate',
  'artifactUpdate',
] as const;
const NO_PARTS: readonly unknown[] = [];

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : NO_PARTS;
}
