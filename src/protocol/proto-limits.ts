import { JsonLimitError, type JsonLimits } from '../common/json-limits.js';

/** The fields of a protobuf message that are messages themselves, by their numbers. */
export type ProtoShape = ReadonlyMap<number, () => ProtoShape>;

/** A shape of one level of JSON (`google.protobuf.Struct` and `ListValue`). */
const JSON_LEVELS = new Set<ProtoShape>();

const STRUCT = level({ 1: () => ENTRY });
const LIST = level({ 1: () => VALUE });
const ENTRY = shape({ 2: () => VALUE });
const VALUE: ProtoShape = shape({ 5: () => STRUCT, 6: () => LIST });

/** The messages of A2A whose content others write, of one version of its `.proto`. */
export interface ProtoShapes {
  readonly task: ProtoShape;
  /** Of `StreamResponse`, which `SendMessageResponse` is a part of. */
  readonly event: ProtoShape;
  readonly tasks: ProtoShape;
  /** Of a message that a client sends. */
  readonly message: ProtoShape;
}

/** `lf.a2a.v1`. */
export const V1_SHAPES = shapesOf({
  part: shape({ 4: () => VALUE, 5: () => STRUCT }),
  artifactParts: 4,
  artifactMetadata: 5,
  statusMetadata: 4,
});

/** `a2a.v1`, which is that of protocol 0.3. */
export const V0_SHAPES = shapesOf({
  part: shape({ 2: () => shape({}), 3: () => shape({ 1: () => STRUCT }), 4: () => STRUCT }),
  artifactParts: 5,
  artifactMetadata: 6,
  statusMetadata: 5,
});

function shapesOf(version: {
  readonly part: ProtoShape;
  readonly artifactParts: number;
  readonly artifactMetadata: number;
  readonly statusMetadata: number;
}): ProtoShapes {
  const message = shape({ 5: () => version.part, 6: () => STRUCT });
  const status = shape({ 2: () => message });
  const artifact = shape({
    [version.artifactParts]: () => version.part,
    [version.artifactMetadata]: () => STRUCT,
  });
  const task = shape({
    3: () => status,
    4: () => artifact,
    5: () => message,
    6: () => STRUCT,
  });
  const statusUpdate = shape({ 3: () => status, [version.statusMetadata]: () => STRUCT });
  const artifactUpdate = shape({ 3: () => artifact, 6: () => STRUCT });
  const event = shape({
    1: () => task,
    2: () => message,
    3: () => statusUpdate,
    4: () => artifactUpdate,
  });
  return { task, event, tasks: shape({ 1: () => task }), message };
}

function shape(fields: Readonly<Record<number, () => ProtoShape>>): ProtoShape {
  return new Map(Object.entries(fields).map(([field, of]) => [Number(field), of]));
}

function level(fields: Readonly<Record<number, () => ProtoShape>>): ProtoShape {
  const made = shape(fields);
  JSON_LEVELS.add(made);
  return made;
}

/**
 * Throws {@link JsonLimitError} when a protobuf message of this shape holds more fields than `maxValues` or
 * JSON nested more than `maxNesting` deep, or bytes that are no message at all, before anything of it is
 * decoded.
 */
export function checkProtoLimits(bytes: Uint8Array, of: ProtoShape, limits: JsonLimits): void {
  if (!new ProtoWalk(bytes, limits).walk(bytes.length, of, 0)) {
    throw new JsonLimitError('is not a protobuf message');
  }
}

class ProtoWalk {
  private at = 0;
  private values = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly limits: JsonLimits,
  ) {}

  /** False where the bytes are malformed. */
  walk(end: number, of: ProtoShape, nesting: number): boolean {
    while (this.at < end) {
      this.count();
      const tag = this.varint(end);
      const field = Math.floor(tag / 8);
      switch (tag % 8) {
        case 0:
          if (this.varint(end) === Infinity) return false;
          break;
        case 1:
          this.at += 8;
          break;
        case 2: {
          const until = this.varint(end) + this.at;
          if (until > end) return false;
          const inner = of.get(field)?.();
          if (inner === undefined) this.at = until;
          else if (!this.walk(until, inner, this.deeper(inner, nesting))) return false;
          break;
        }
        case 5:
          this.at += 4;
          break;
        default:
          return false;
      }
    }
    return this.at === end;
  }

  private deeper(inner: ProtoShape, nesting: number): number {
    if (!JSON_LEVELS.has(inner)) return nesting;
    if (nesting >= this.limits.maxNesting) {
      throw new JsonLimitError(`is nested more than ${this.limits.maxNesting} levels deep`);
    }
    return nesting + 1;
  }

  /** Of its bits the lower 32, as decoders take tags and lengths; infinite where it has no end. */
  private varint(end: number): number {
    let value = 0;
    for (let shift = 0; this.at < end; shift += 7) {
      const byte = this.bytes[this.at++]!;
      if (shift < 32) value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value % 2 ** 32;
    }
    return Infinity;
  }

  private count(): void {
    this.values += 1;
    if (this.values > this.limits.maxValues) {
      throw new JsonLimitError(`has more than ${this.limits.maxValues} values`);
    }
  }
}
