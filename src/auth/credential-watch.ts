import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { HubError } from '../common/hub-error.js';
import { evictOldest } from '../common/evict-oldest.js';
import { Log } from '../common/logger.js';
import { Clock } from '../common/clock.js';
import { certificateHasExpired } from './certificates/certificate-callers.js';
import { keyHasExpired } from './key-callers.js';
import type { Principal } from './principal.js';
import { PrincipalStore } from './principal-store.js';
import { tokenHasExpired } from './token-callers.js';
import { VouchedCalls } from './vouched-calls.js';

/** How often it is looked whether another process has ended a key: one small query. */
const LOOK_EVERY_MS = 1000;
/** Every so many looks all keys are looked up, whatever that says. */
const LOOKS_TO_LOOK_UP_ALL = 60;
const CANNOT_LOOK = 'the API keys of open calls could not be read';
/** Ended keys, sign-ins and principals remembered of each kind: for calls that were let in a moment before. */
const REMEMBERED = 10_000;

/** The open calls that came with one key, or by one sign-in. */
interface Watched {
  readonly principalId: string;
  readonly organization: string;
  readonly isKey: boolean;
  /** With when the key, or the token of the call, expires. */
  readonly open: Map<AbortController, Expiry | undefined>;
}

interface Expiry {
  readonly at: Date;
  /** Says so once it has: nearly all calls end before. */
  readonly why: (at: Date) => HubError;
}

/**
 * Ends the calls of a key when it is revoked, has expired (within about a second) or its principal or organization is disabled:
 * at once when that happens here, within some two seconds when another process does it. Only the calls of that key: those of other
 * keys of the principal go on. Calls with an access token or a client certificate end when that expires, when its principal is disabled,
 * or when it is not vouched for any more ({@link VouchedCalls}).
 */
@Injectable()
export class CredentialWatch implements OnApplicationBootstrap, OnModuleDestroy {
  /** By the id of the key or the sign-in. */
  private readonly watched = new Map<string, Watched>();
  private readonly revokedKeys = new Set<string>();
  private readonly disabledPrincipals = new Set<string>();
  private readonly disabledOrganizations = new Set<string>();
  private readonly job: BackgroundJob;
  private revision = -1;
  /** Whether a credential is watched that was not when the database was asked last. */
  private hasNew = false;
  private looks = 0;

  constructor(
    @Inject(PrincipalStore)
    private readonly store: Pick<PrincipalStore, 'revision' | 'validCredentials'>,
    private readonly log: Log,
    private readonly clock: Clock,
    private readonly vouchedCalls: VouchedCalls,
  ) {
    const rules = {
      name: 'key watch',
      failure: CANNOT_LOOK,
      everyMs: LOOK_EVERY_MS,
      run: () => this.look(),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  /**
   * Aborts `open` with UNAUTHENTICATED for its reason once the key or token of this caller is not valid any more,
   * until the function that is given back is called. Who came without either is never ended.
   */
  watch(principal: Principal, open: AbortController): () => void {
    const { id, organization, keyId, identityId, voucher } = principal;
    const credential = keyId ?? identityId;
    if (credential === undefined) return () => undefined;
    if (this.revokedKeys.has(credential)) {
      open.abort(noLongerValid(true, 'revoked-key'));
      return () => undefined;
    }
    let entry = this.watched.get(credential);
    if (entry === undefined) {
      entry = { principalId: id, organization, isKey: keyId !== undefined, open: new Map() };
      this.watched.set(credential, entry);
      // What has ended it elsewhere may have been seen before anybody watched it.
      this.hasNew = true;
    }
    const { open: mine } = entry;
    mine.set(open, expiryOf(principal));
    const unwatch = voucher && this.vouchedCalls.watch(voucher, open);
    // Let in before that, or enabled again by another process: the database knows.
    const mayBeOver =
      this.disabledPrincipals.has(id) || this.disabledOrganizations.has(organization);
    if (mayBeOver) void this.lookUpNow(credential);
    return () => {
      unwatch?.();
      mine.delete(open);
      const isLast = mine.size === 0 && this.watched.get(credential)?.open === mine;
      if (isLast) this.watched.delete(credential);
    };
  }

  /** A key was revoked here. */
  revoked(keyId: string): void {
    remember(this.revokedKeys, keyId);
    this.end(keyId, 'revoked-key');
  }

  /** A principal was disabled here: no credential of it is valid. */
  disabled(principalId: string): void {
    remember(this.disabledPrincipals, principalId);
    for (const [credential, entry] of this.watched) {
      if (entry.principalId === principalId) this.end(credential, 'disabled-principal');
    }
  }

  /** A principal was enabled: its credentials count again. */
  enabled(principalId: string): void {
    this.disabledPrincipals.delete(principalId);
  }

  /** An organization was disabled here: no credential of its principals is valid. */
  organizationDisabled(organization: string): void {
    remember(this.disabledOrganizations, organization);
    for (const [credential, entry] of this.watched) {
      if (entry.organization === organization) this.end(credential, 'disabled-organization');
    }
  }

  /** An organization was enabled: its credentials count again. */
  organizationEnabled(organization: string): void {
    this.disabledOrganizations.delete(organization);
  }

  private async look(): Promise<void> {
    this.endExpired();
    if (this.watched.size === 0) return;
    try {
      this.looks += 1;
      const { hasNew } = this;
      this.hasNew = false;
      const revision = await this.store.revision();
      const isDue = hasNew || this.looks % LOOKS_TO_LOOK_UP_ALL === 0;
      if (revision === this.revision && !isDue) return;
      await this.lookUp([...this.watched.keys()]);
      this.revision = revision;
    } catch (error) {
      this.hasNew = true;
      throw error;
    }
  }

  /** Ends the calls of those credentials that are not valid. */
  private async lookUp(ids: readonly string[]): Promise<void> {
    const valid = await this.store.validCredentials(ids);
    for (const id of ids) {
      const expiresAt = valid.get(id);
      // By another process, which does not say how.
      if (expiresAt === undefined) this.end(id, 'ended-credential');
      else this.goesOn(id, expiresAt);
    }
  }

  private goesOn(credential: string, expiresAt: Date | null): void {
    const entry = this.watched.get(credential);
    if (entry === undefined) return;
    this.disabledPrincipals.delete(entry.principalId);
    this.disabledOrganizations.delete(entry.organization);
    // A rotation brings the end of a key forward.
    if (!entry.isKey) return;
    const expiry = expiresAt === null ? undefined : { at: expiresAt, why: keyHasExpired };
    for (const open of entry.open.keys()) entry.open.set(open, expiry);
  }

  /** Never rejects: when the database is away, the next looks find out. */
  private async lookUpNow(credential: string): Promise<void> {
    try {
      await this.lookUp([credential]);
    } catch (error) {
      this.log.warn({ err: error }, CANNOT_LOOK);
    }
  }

  private endExpired(): void {
    const now = this.clock.now();
    for (const { open: calls } of this.watched.values()) {
      for (const [open, expiry] of calls) {
        if (expiry === undefined || expiry.at > now) continue;
        calls.delete(open);
        open.abort(expiry.why(expiry.at));
      }
    }
  }

  private end(credential: string, cause: string): void {
    const entry = this.watched.get(credential);
    this.watched.delete(credential);
    for (const open of entry?.open.keys() ?? []) open.abort(noLongerValid(entry!.isKey, cause));
  }
}

/**
 * Throws what a call was ended with by {@link CredentialWatch}; returns when it was not. A caller that does not know yet
 * which task it has begun learns that, so that it can follow it with another credential.
 */
export function refuseEnded({ aborted, reason }: AbortSignal, taskId?: string): void {
  if (!aborted || !(reason instanceof HubError)) return;
  if (taskId === undefined) throw reason;
  const { message, refusal } = reason;
  throw new HubError(reason.reason, `${message} The task of the message is ${taskId}.`, {
    metadata: { ...reason.metadata, taskId },
    ...(refusal !== undefined && { refusal }),
  });
}

function expiryOf({ keyId, isCertified, expiresAt: at }: Principal): Expiry | undefined {
  if (at === undefined) return undefined;
  if (keyId !== undefined) return { at, why: keyHasExpired };
  return { at, why: isCertified === true ? certificateHasExpired : tokenHasExpired };
}

/** Why a call is refused, or ended, by what has become of its credential. */
export function noLongerValid(isKey: boolean, cause: string): HubError {
  // What another process has done is known by its effect alone.
  const what = cause === 'ended-credential' ? 'is disabled or was deleted' : 'is disabled';
  const text = isKey
    ? 'The API key is no longer valid.'
    : `The principal of the access token or certificate, or its organization, ${what}.`;
  return new HubError('UNAUTHENTICATED', text, { refusal: { cause } });
}

function remember(ended: Set<string>, id: string): void {
  evictOldest(ended, REMEMBERED);
  ended.add(id);
}
