import { type AuditActor, NO_CALLER } from './audit-entry.js';

/** A caller, as far as the audit log tells of it. */
export interface AuditedCaller {
  readonly id: string;
  readonly organization: string;
  readonly keyId?: string | undefined;
  readonly identityId?: string | undefined;
  readonly issuer?: string | undefined;
  /** Through whom it calls; `hub`: the principal of the hub that does it for it. */
  readonly chain?: { readonly hub?: string | undefined } | undefined;
}

/** A caller as the audit log names it. */
export function actorOf(caller: AuditedCaller): AuditActor {
  const { id, organization, keyId, identityId, issuer, chain } = caller;
  return {
    ...NO_CALLER,
    principal: chain?.hub ?? id,
    organization,
    onBehalfOf: chain === undefined ? null : id,
    issuer: issuer ?? null,
    credential: keyId ?? identityId ?? null,
  };
}
