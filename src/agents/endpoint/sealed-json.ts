import { type SecretBox, SecretLockedError } from '../../common/secret-box.js';

/** A stored secret whose key is missing. It is stored again as it was, so that nothing is lost. */
export class Locked {
  constructor(
    readonly sealed: string,
    /** One sentence. */
    readonly reason: string,
  ) {}
}

/** A value as it is stored: the whole of it sealed. */
export function sealJson(secrets: SecretBox, value: object | null): string | null {
  if (value === null) return null;
  return value instanceof Locked ? value.sealed : secrets.seal(JSON.stringify(value));
}

/** What {@link sealJson} has stored. */
export function openJson<T>(secrets: SecretBox, stored: string | null): T | Locked | null {
  if (stored === null) return null;
  try {
    return JSON.parse(secrets.open(stored)) as T;
  } catch (error) {
    if (error instanceof SecretLockedError) return new Locked(stored, error.message);
    throw error;
  }
}
