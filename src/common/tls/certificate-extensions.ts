import type { X509Certificate } from 'node:crypto';

/** What Node does not tell of a certificate: its extensions, and how it is signed. */
export interface CertificateExtensions {
  /** The OIDs of all that are marked critical, in hexadecimal. */
  readonly critical: readonly string[];
  /** How many intermediates may follow (RFC 5280 §4.2.1.9); undefined for any number. */
  readonly pathLength: number | undefined;
  /** The OID of the method by which it is signed, in hexadecimal. */
  readonly signature: string;
}

interface Value {
  readonly tag: number;
  readonly content: Buffer;
}

const SEQUENCE = 0x30;
const BOOLEAN = 0x01;
const INTEGER = 0x02;
const OBJECT_ID = 0x06;
const OCTETS = 0x04;
/** `[3]` of a TBSCertificate: its extensions. */
const EXTENSIONS = 0xa3;

export const KEY_USAGE = '551d0f';
export const SUBJECT_ALTERNATIVE_NAME = '551d11';
export const BASIC_CONSTRAINTS = '551d13';
export const EXTENDED_KEY_USAGE = '551d25';

/** Reads the extensions (RFC 5280 §4.1, DER). Throws an Error for bytes that are no certificate of this form. */
export function extensionsOf({ raw }: X509Certificate): CertificateExtensions {
  const [certificate] = values(raw);
  const [body, algorithm] = values(contentOf(certificate, SEQUENCE));
  const [signature] = values(contentOf(algorithm, SEQUENCE));
  const field = values(contentOf(body, SEQUENCE)).find(({ tag }) => tag === EXTENSIONS);
  const [list] = field === undefined ? [] : values(field.content);
  const extensions = list === undefined ? [] : values(contentOf(list, SEQUENCE)).map(extensionOf);
  const constraints = extensions.find(({ id }) => id === BASIC_CONSTRAINTS);
  return {
    critical: extensions.flatMap(({ id, isCritical }) => (isCritical ? [id] : [])),
    pathLength: constraints === undefined ? undefined : pathLengthOf(constraints.value),
    signature: contentOf(signature, OBJECT_ID).toString('hex'),
  };
}

function extensionOf({ tag, content }: Value): { id: string; isCritical: boolean; value: Buffer } {
  const members = values(contentOf({ tag, content }, SEQUENCE));
  const isCritical = members[1]?.tag === BOOLEAN && members[1].content[0] !== 0;
  return {
    id: contentOf(members[0], OBJECT_ID).toString('hex'),
    isCritical,
    value: contentOf(members.at(-1), OCTETS),
  };
}

function pathLengthOf(value: Buffer): number | undefined {
  const [constraints] = values(value);
  const length = values(contentOf(constraints, SEQUENCE)).find(({ tag }) => tag === INTEGER);
  if (length === undefined) return undefined;
  // A length that makes no sense allows none.
  return length.content.length === 1 && length.content[0]! < 0x80 ? length.content[0] : 0;
}

function contentOf(value: Value | undefined, tag: number): Buffer {
  if (value?.tag !== tag) throw new Error('is not a certificate in DER');
  return value.content;
}

/** The values that follow each other in these bytes. */
function values(bytes: Buffer): Value[] {
  const found: Value[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at]!;
    const first = bytes[at + 1] ?? 0x80;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const begin = at + 2 + lengthBytes;
    // No length of its own, or one that no certificate has.
    if (first === 0x80 || lengthBytes > 3 || begin > bytes.length) {
      throw new Error('is not a certificate in DER');
    }
    const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    if (begin + length > bytes.length) throw new Error('is not a certificate in DER');
    found.push({ tag, content: bytes.subarray(begin, begin + length) });
    at = begin + length;
  }
  return found;
}
