import { HubError } from '../../common/hub-error.js';
import { MAX_NESTING } from '../../common/json-limits.js';
import { notThisMessage } from './decode.js';

/** The fields of a message that hold messages, by number. */
interface MessageType {
  readonly messages: ReadonlyMap<number, () => MessageType>;
  /** Whether it counts as a level of nesting: a `Struct` or a `ListValue`. */
  readonly isLevel?: boolean;
}

const flat = type({});
const struct: MessageType = { ...type({ 1: () => entry }), isLevel: true };
const entry = type({ 2: () => value });
const value: MessageType = type({ 5: () => struct, 6: () => list });
const list: MessageType = { ...type({ 1: () => value }), isLevel: true };

const part = type({ 4: () => value, 5: () => struct });
const message = type({ 5: () => part, 6: () => struct });
const pushConfig = type({ 6: () => flat });
const configuration = type({ 2: () => pushConfig });
const sendMessage = type({ 2: () => message, 3: () => configuration, 4: () => struct });

const v0DataPart = type({ 1: () => struct });
const v0Part = type({ 2: () => flat, 3: () => v0DataPart });
const v0Message = type({ 5: () => v0Part, 6: () => struct });
const v0PushConfig = type({ 4: () => flat });
const v0Configuration = type({ 2: () => v0PushConfig });
const v0SendMessage = type({ 1: () => v0Message, 2: () => v0Configuration, 3: () => struct });

/** The requests that may be large, by the path of their method (a2a.proto of 1.0 and of 0.3). */
const LARGE_REQUESTS: ReadonlyMap<string, MessageType> = new Map([
  ['/lf.a2a.v1.A2AService/SendMessage', sendMessage],
  ['/lf.a2a.v1.A2AService/SendStreamingMessage', sendMessage],
  ['/a2a.v1.A2AService/SendMessage', v0SendMessage],
  ['/a2a.v1.A2AService/SendStreamingMessage', v0SendMessage],
]);

/** The largest request of a method that takes no message: it names things. */
const SMALL_REQUEST_BYTES = 256 * 1024;

/** The largest request of a method, at most `limit` bytes. */
export function requestLimit(path: string, limit: number): number {
  return LARGE_REQUESTS.has(path) ? limit : Math.min(limit, SMALL_REQUEST_BYTES);
}

/**
 * Counts the fields and the nesting of a request before it is decoded, which costs many times as much. Throws
 * PAYLOAD_TOO_LARGE for more than `maxFields`, INVALID_PARAMS for values nested too deep and INVALID_REQUEST for
 * bytes that it cannot follow, as the decoder might.
 */
export function scanRequest(path: string, bytes: Uint8Array, maxFields: number): void {
  const type = LARGE_REQUESTS.get(path);
  if (type !== undefined) new Scan(bytes, maxFields).message(type, bytes.length, 0);
}

const MAX_UINT32 = 2 ** 32 - 1;

class Scan {
  private fields = 0;
  private at = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly maxFields: number,
  ) {}

  /** Reads the message that goes up to there. */
  message(type: MessageType, to: number, level: number): void {
    const depth = level + (type.isLevel === true ? 1 : 0);
    // One more, so that validation names the field that is nested too deep by a little.
    if (depth > MAX_NESTING + 1) {
      throw new HubError(
        'INVALID_PARAMS',
        `The request is nested more than ${MAX_NESTING} levels deep.`,
      );
    }
    while (this.at < to) {
      this.count();
      const tag = this.varint(MAX_UINT32);
      const wireType = tag % 8;
      const inner = wireType === 2 ? type.messages.get(Math.floor(tag / 8)) : undefined;
      const length = this.contentLength(wireType);
      const end = this.at + length;
      if (end > to) throw notThisMessage();
      if (inner !== undefined) this.message(inner(), end, depth);
      this.at = end;
    }
    if (this.at !== to) throw notThisMessage();
  }

  private contentLength(wireType: number): number {
    switch (wireType) {
      case 0:
        this.varint(Infinity);
        return 0;
      case 1:
        return 8;
      case 2:
        return this.varint(MAX_UINT32);
      case 5:
        return 4;
      default:
        // Groups, which proto3 has not, and wire types there are not.
        throw notThisMessage();
    }
  }

  private varint(max: number): number {
    let result = 0;
    for (let factor = 1; factor <= 2 ** 63; factor *= 128) {
      const byte = this.bytes[this.at];
      if (byte === undefined) break;
      this.at += 1;
      result += (byte % 128) * factor;
      if (byte < 128 && result <= max) return result;
      if (byte < 128) break;
    }
    throw notThisMessage();
  }

  private count(): void {
    this.fields += 1;
    if (this.fields > this.maxFields) {
      throw new HubError(
        'PAYLOAD_TOO_LARGE',
        `The request has more than ${this.maxFields} values.`,
      );
    }
  }
}

function type(messages: Readonly<Record<number, () => MessageType>>): MessageType {
  const entries = Object.entries(messages).map(([number, of]) => [Number(number), of] as const);
  return { messages: new Map(entries) };
}
