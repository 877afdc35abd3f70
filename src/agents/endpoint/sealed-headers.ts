import { type SecretBox, SecretLockedError, isSealed } from '../../common/secret-box.js';
import { isReferred } from '../../common/secret-references/referred-secret.js';
import {
  type SecretReferences,
  SecretUnavailableError,
} from '../../common/secret-references/secret-references.js';

/** Visible characters, spaces and tabs. */
const CARRIED = /^[\t\x20-\x7e]*$/;

type Headers = Readonly<Record<string, string>>;

/**
 * Before the stored form of a value that could not be opened. No header can begin with it, so such a
 * value is never sent and never taken for one that an operator gave.
 */
const LOCKED = '\u0000';

/** Headers as they are stored: the names as they are, each value sealed. */
export function sealHeaders(secrets: SecretBox, headers: Headers): Record<string, string> {
  return mapValues(headers, (value) =>
    value.startsWith(LOCKED) ? value.slice(LOCKED.length) : secrets.seal(value),
  );
}

/**
 * The headers of what is stored. A value whose key is missing stays locked, and is stored again as it
 * was, so that the others and the agent itself are of use and nothing is lost.
 */
export function openHeaders(secrets: SecretBox, stored: Headers): Record<string, string> {
  return mapValues(stored, (value) => {
    // Development versions before there were keys stored the value itself.
    if (!isSealed(value)) return value;
    try {
      return secrets.open(value);
    } catch (error) {
      if (error instanceof SecretLockedError) return LOCKED + value;
      throw error;
    }
  });
}

/**
 * The headers, to be sent, with the secrets that references among them name; undefined when one of those has to be waited
 * for. Throws {@link SecretLockedError} when a header is locked.
 */
export function sendableNow(
  headers: Headers,
  references: Pick<SecretReferences, 'current'>,
): Headers | undefined {
  refuseLocked(headers);
  if (!hasReferences(headers)) return headers;
  const entries: [string, string][] = [];
  for (const [name, stored] of Object.entries(headers)) {
    const value = references.current(stored);
    if (value === undefined) return undefined;
    entries.push([name, carried(name, stored, value)]);
  }
  return Object.fromEntries(entries);
}

/**
 * The headers, to be sent. Rejects with {@link SecretLockedError} when a header is locked, or what a reference names
 * cannot be had.
 */
export async function sendable(
  headers: Headers,
  references: Pick<SecretReferences, 'current' | 'resolve'>,
): Promise<Headers> {
  const now = sendableNow(headers, references);
  if (now !== undefined) return now;
  const resolved = Object.entries(headers).map(
    async ([name, stored]) =>
      [name, carried(name, stored, await references.resolve(stored))] as const,
  );
  return Object.fromEntries(await Promise.all(resolved));
}

/** Has what headers refer to read again, at most once a second. */
export async function refreshed(
  headers: Headers,
  references: Pick<SecretReferences, 'refresh'>,
): Promise<void> {
  if (!hasReferences(headers)) return;
  await Promise.all(Object.values(headers).map((stored) => references.refresh(stored)));
}

/** The headers as far as they can be known without what references name: for rules that look at names and forms. */
export function withoutReferences(headers: Headers): Headers {
  return hasReferences(headers)
    ? mapValues(headers, (value) => (isReferred(value) ? '' : value))
    : headers;
}

function hasReferences(headers: Headers): boolean {
  for (const name in headers) if (isReferred(headers[name]!)) return true;
  return false;
}

/** Every binding carries it; a secret with line ends would be refused by none but the connection itself. */
function carried(name: string, stored: string, value: string): string {
  if (value === stored || CARRIED.test(value)) return value;
  throw new SecretUnavailableError(
    `The secret that the header ${name} of the agent refers to is not one line of printable ASCII; put it into its source without line ends.`,
  );
}

function refuseLocked(headers: Headers): void {
  let hasLocked = false;
  for (const name in headers) hasLocked ||= headers[name]!.startsWith(LOCKED);
  if (!hasLocked) return;
  const locked = Object.keys(headers).find((name) => headers[name]!.startsWith(LOCKED));
  throw new SecretLockedError(
    null,
    `The header ${locked} of the agent is encrypted with a key that secrets.keys does not have.`,
  );
}

function mapValues(headers: Headers, change: (value: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]));
}
