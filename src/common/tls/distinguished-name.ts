/**
 * A distinguished name in one form, to be compared: the part that names most first, as RFC 4514 writes it
 * (`CN=agent,OU=ops,O=Acme`). Types of attributes are in upper case, values as they are.
 */
export type DistinguishedName = string;

/** Reads a name of the form of RFC 4514 (`openssl x509 -subject -nameopt RFC2253`); undefined when it is none. */
export function readName(written: string): DistinguishedName | undefined {
  return nameOf(split(written, ','));
}

/** The name in the form in which Node gives the subject of a certificate: a line for each part, the first of the certificate first. */
export function subjectName(lines: string | undefined): DistinguishedName | undefined {
  return lines ? nameOf(lines.split('\n').reverse()) : undefined;
}

function nameOf(parts: readonly string[]): DistinguishedName | undefined {
  const read = parts.map((part) => {
    const attributes = split(part, '+').map(attributeOf);
    return attributes.includes(undefined) ? undefined : attributes.sort().join('+');
  });
  return read.includes(undefined) ? undefined : read.join(',');
}

/** `TYPE=value`, escaped in one way only. */
function attributeOf(written: string): string | undefined {
  const match = /^\s*([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)\s*=\s*(.*)$/s.exec(written);
  const value = match && unescaped(withoutTrailingSpace(match[2]!));
  if (!value) return undefined;
  return `${match[1]!.toUpperCase()}=${value.replace(/[\\,+]/g, '\\$&')}`;
}

/** Spaces at the end count when a backslash is before them. */
function withoutTrailingSpace(text: string): string {
  const bare = text.trimEnd();
  const kept = /(?:^|[^\\])(?:\\\\)*\\$/.test(bare) ? bare.length + 1 : bare.length;
  return text.slice(0, kept);
}

function unescaped(text: string): string | undefined {
  const bytes: Buffer[] = [];
  for (const [, pair, char, plain] of text.matchAll(/\\([0-9a-fA-F]{2})|\\(.)|([^\\]+)|\\$/gsu)) {
    if (pair !== undefined) bytes.push(Buffer.from(pair, 'hex'));
    else if ((char ?? plain) !== undefined) bytes.push(Buffer.from((char ?? plain)!));
    else return undefined;
  }
  return Buffer.concat(bytes).toString();
}

/** At separators without a backslash before them. */
function split(text: string, separator: ',' | '+'): string[] {
  const parts = [''];
  for (const piece of text.match(/\\.|[^\\]|\\$/gsu) ?? []) {
    if (piece === separator) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}
