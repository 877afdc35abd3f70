import { type AuditActor, NO_CALLER } from '../audit/index.js';
import type { Principal } from './principal.js';

/** A caller as the audit log names it. */
export function actorOf({ id, organization, keyId, identityId, issuer }: Principal): AuditActor {
  return {
    ...NO_CALLER,
    principal: id,
    organization,
    issuer: issuer ?? null,
    credential: keyId ?? identityId ?? null,
  };
}
