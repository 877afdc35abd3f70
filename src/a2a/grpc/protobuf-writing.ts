/** Bytes of a varint of up to 32 bits. */
export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) bytes += 1;
  return bytes;
}

/** Writes one of up to 32 bits; gives where it ends. */
export function writeVarint(into: Uint8Array, value: number, at: number): number {
  let end = at;
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) into[end++] = (rest & 0x7f) | 0x80;
  into[end++] = rest;
  return end;
}

/** Reads tags and lengths of an encoded message. */
export class FieldReader {
  position = 0;

  constructor(private readonly message: Uint8Array) {}

  /** 32 bits of one: tags and lengths have no more. Throws at the end of the message. */
  varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.message[this.position++];
      if (byte === undefined) throw new Error('a protobuf message ends within a field');
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  /** Passes over the value of a field of this tag, unless it has a length. */
  skipUnlessSized(tag: number): 'skipped' | 'sized' {
    const wireType = tag & 7;
    if (wireType === 2) return 'sized';
    if (wireType === 0) this.varint();
    else this.position += wireType === 1 ? 8 : 4;
    return 'skipped';
  }
}
