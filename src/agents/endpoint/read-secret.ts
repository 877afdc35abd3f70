import { invalidField } from '../../common/hub-error.js';
import { type Grantee, readReferred } from '../../common/secret-references/referred-secret.js';

/** A secret as it is given: itself, or `{"secretRef": …}`. */
export type WrittenSecret = string | Readonly<Record<string, unknown>>;

/** As it is stored. Throws HubError INVALID_PARAMS naming the field, never with the secret. */
export function readSecret(field: string, written: WrittenSecret, grantee: Grantee): string {
  // What is stored of a reference begins with a control character.
  if (typeof written === 'string') {
    if (/^\p{Cc}/u.test(written))
      throw invalidField(field, 'must not begin with a control character');
    return written;
  }
  if ('prefix' in written) throw invalidField(field, 'has no prefix');
  let stored: string | undefined;
  try {
    stored = readReferred(written, grantee);
  } catch (error) {
    throw invalidField(field, (error as Error).message);
  }
  if (stored === undefined) throw invalidField(field, 'must be a string, or {"secretRef": …}');
  return stored;
}
