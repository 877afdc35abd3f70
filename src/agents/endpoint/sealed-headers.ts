import { type SecretBox, SecretLockedError, isSealed } from '../../common/secret-box.js';

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

/** The headers, to be sent. Throws {@link SecretLockedError} when one of them is locked. */
export function sendable(headers: Headers): Headers {
  const locked = Object.keys(headers).find((name) => headers[name]?.startsWith(LOCKED));
  if (locked === undefined) return headers;
  throw new SecretLockedError(
    null,
    `The header ${locked} of the agent is encrypted with a key that secrets.keys does not have.`,
  );
}

function mapValues(headers: Headers, change: (value: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]));
}
