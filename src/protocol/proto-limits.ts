import { JsonLimitError, type JsonLimits } from '../common/json-limits.js';

/** The fields of a protobuf message that are messages themselves, by their numbers. */
export type ProtoShape = ReadonlyMap<number, () => ProtoShape>;

/** A shape of one level of JSON (`google.protobuf.Struct` and `ListValue`). */
const JSON_LEVELS = new Set<ProtoShape>();

const STRUCT = level({ 1: () => ENTRY });
const LIST = level({ 1: () => VALUE });
const ENTRY = shape({ 2: () => VALUE });
const VALUE: ProtoShape = shape({ 5: () => STRUCT, 6: () => LIST });
/** A message that holds no others. */
const FLAT = shape({});

/**
 * The messages of A2A whose content others write, of one version of its `.proto`, with every message that a
 * decoder enters: one that is left out could hold anything.
 */
export interface ProtoShapes {
  readonly task: ProtoShape;
  /** Of `StreamResponse`, which `SendMessageResponse` is a part of. */
  readonly event: ProtoShape;
  readonly tasks: ProtoShape;
  /** Of `SendMessageRequest`. */
  readonly send: ProtoShape;
}

/** `lf.a2a.v1`. */
export const V1_SHAPES = shapesOf({
  part: shape({ 4: () => VALUE, 5: () => STRUCT }),
  artifactParts: 4,
  artifactMetadata: 5,
  statusMetadata: 4,
  send: { message: 2, configuration: 3, metadata: 4, authentication: 6 },
});

/** `a2a.v1`, which is that of protocol 0.3. */
export const V0_SHAPES = shapesOf({
  part: shape({ 2: () => FLAT, 3: () => shape({ 1: () => STRUCT }), 4: () => STRUCT }),
  artifactParts: 5,
  artifactMetadata: 6,
  statusMetadata: 5,
  send: { message: 1, configuration: 2, metadata: 3, authentication: 4 },
});

function shapesOf(version: {
  readonly part: ProtoShape;
  readonly artifactParts: number;
  readonly artifactMetadata: number;
  readonly statusMetadata: number;
  /** `authentication` is a field of the push notification config. */
  readonly send: Readonly<
    Record<'message' | 'configuration' | 'metadata' | 'authentication', number>
  >;
}): ProtoShapes {
  const message = shape({ 5: () => version.part, 6: () => STRUCT });
  const status = shape({ 2: () => message, 3: () => FLAT });
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
  const pushConfig = shape({ [version.send.authentication]: () => FLAT });
  const configuration = shape({ 2: () => pushConfig });
  const send = shape({
    [version.send.message]: () => message,
    [version.send.configuration]: () => configuration,
    [version.send.metadata]: () => STRUCT,
  });
  return { task, event, tasks: shape({ 1: () => task }), send };
}

function shape(fields: Readonly<Record<number, () => ProtoShape>>): ProtoShape {
  return new Map(Object.entries(fields).map(([field, of]) => [Number(field), of]));
}

function level(fields: Readonly<Record<number, () => ProtoShape>>): ProtoShape {
  const made = shape(fields);
  JSON_LEVELS.add(made);
  return made;
}

/** Bytes that are no protobuf message, or one that decoders do not all read alike. */
export class ProtoSyntaxError extends JsonLimitError {
  constructor() {
    super('is not a protobuf message');
  }
}

/**
 * Throws {@link JsonLimitError} when a protobuf message of this shape holds more fields than `maxValues` or
 * JSON nested more than `maxNesting` deep, and {@link ProtoSyntaxError} for bytes that it cannot follow, as a
 * decoder might; before anything of it is decoded, which costs many times as much.
 */
export function checkProtoLimits(bytes: Uint8Array, of: ProtoShape, limits: JsonLimits): void {
  new ProtoWalk(bytes, limits).walk(bytes.length, of, 0);
}

const MAX_UINT32 = 2 ** 32 - 1;

class ProtoWalk {
  private at = 0;
  private values = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly limits: JsonLimits,
  ) {}

  /** Reads the message that goes up to there. */
  walk(end: number, of: ProtoShape, nesting: number): void {
    while (this.at < end) {
      this.count();
      const tag = this.varint(MAX_UINT32);
      const field = Math.floor(tag / 8);
      // At such a tag decoders leave the message, and read on in the bytes that belong to it.
      if (field === 0) throw new ProtoSyntaxError();
      const wireType = tag % 8;
      const length = this.contentLength(wireType);
      const until = this.at + length;
      if (until > end) throw new ProtoSyntaxError();
      const inner = wireType === 2 ? of.get(field)?.() : undefined;
      if (inner !== undefined) this.walk(until, inner, this.deeper(inner, nesting));
      this.at = until;
    }
    if (this.at !== end) throw new ProtoSyntaxError();
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
        throw new ProtoSyntaxError();
    }
  }

  private deeper(inner: ProtoShape, nesting: number): number {
    if (!JSON_LEVELS.has(inner)) return nesting;
    if (nesting >= this.limits.maxNesting) {
      throw new JsonLimitError(`is nested more than ${this.limits.maxNesting} levels deep`);
    }
    return nesting + 1;
  }

  /** Of at most ten bytes. */
  private varint(max: number): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 63; factor *= 128) {
      const byte = this.bytes[this.at];
      if (byte === undefined) break;
      this.at += 1;
      value += (byte % 128) * factor;
      if (byte < 128 && value <= max) return value;
      if (byte < 128) break;
    }
    throw new ProtoSyntaxError();
  }

  private count(): void {
    this.values += 1;
    if (this.values > this.limits.maxValues) {
      throw new JsonLimitError(`has more than ${this.limits.maxValues} values`, true);
    }
  }
}
