import { isRecord } from '../is-record.js';
import { readReference } from './secret-reference.js';

/**
 * Who has set a reference: the configuration, where every reference is allowed; who administers the whole hub
 * (`hub`); or who administers what one organization has. What the API sets is held against `secrets.references`.
 */
export type Grantee = 'configuration' | 'hub' | { readonly organization: string };

/** A reference in the place of a secret, as it is stored there. */
export interface ReferredSecret {
  /** As {@link readReference} reads it. */
  readonly reference: string;
  /** What stands before the secret in the value, such as `Bearer `. */
  readonly prefix: string;
  readonly grantee: Grantee;
}

/**
 * Before what is stored in the place of a secret when it is a reference. No header and no secret that the API takes can
 * begin with it, so no value is ever taken for a reference.
 */
const MARK = '\u0001';
const MARK_CODE = 1;
/** Visible characters, spaces and tabs. */
const PREFIX = /^[\t\x20-\x7e]{0,100}$/;
const MEMBERS: readonly string[] = ['secretRef', 'prefix'];

/** Whether a stored text stands for a secret that is kept elsewhere. */
export function isReferred(stored: string): boolean {
  return stored.charCodeAt(0) === MARK_CODE;
}

/** What is stored, and sealed as any secret is. Equal for equal ones. */
export function storedReference({ reference, prefix, grantee }: ReferredSecret): string {
  return MARK + JSON.stringify([reference, prefix, grantee]);
}

/** Of a text that {@link isReferred}. */
export function referredIn(stored: string): ReferredSecret {
  const [reference, prefix, grantee] = JSON.parse(stored.slice(MARK.length)) as [
    string,
    string,
    Grantee,
  ];
  return { reference, prefix, grantee };
}

/**
 * `{"secretRef": "vault:agents/books#token", "prefix": "Bearer "}` as what is stored; undefined for what is no object
 * with `secretRef`. Throws an Error that says what is wrong, to follow the name of the field.
 */
export function readReferred(written: unknown, grantee: Grantee): string | undefined {
  if (!isRecord(written) || !('secretRef' in written)) return undefined;
  const { secretRef, prefix = '' } = written;
  const more = Object.keys(written).find((name) => !MEMBERS.includes(name));
  if (more !== undefined) throw new Error(`has the member ${more}; it has secretRef and prefix`);
  if (typeof prefix !== 'string' || !PREFIX.test(prefix)) {
    throw new Error('has a prefix that is not text of at most 100 characters');
  }
  const reference = readReference(secretRef);
  if (typeof reference === 'string') throw new Error(`${reference} (secretRef)`);
  return storedReference({ reference: reference.text, prefix, grantee });
}
