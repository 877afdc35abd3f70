import { invalidField } from '../../../common/hub-error.js';
import { type SigningKeyKind, keysFault } from './standard-webhooks.js';

/** Throws INVALID_PARAMS unless these are keys of Standard Webhooks, between spaces. */
export function refuseBadKeys(written: string, kind: SigningKeyKind, field: string): void {
  const fault = keysFault(written, kind);
  if (fault !== undefined) throw invalidField(field, fault);
}
