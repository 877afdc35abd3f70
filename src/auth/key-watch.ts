import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { HubError } from '../common/hub-error.js';
import { Log } from '../common/logger.js';
import { Clock } from '../common/clock.js';
import { keyHasExpired } from './auth.service.js';
import type { Principal } from './principal.js';
import { PrincipalStore } from './principal-store.js';

/** How often it is looked whether another process has ended a key: one small query. */
const LOOK_EVERY_MS = 1000;
/** Every so many looks all keys are looked up, whatever that says. */
const LOOKS_TO_LOOK_UP_ALL = 60;
const CANNOT_LOOK = 'the API keys of open calls could not be read';
/** Ended keys and principals remembered of each kind: for calls that were let in a moment before. */
const REMEMBERED = 10_000;

/** The calls of one key that are open. */
interface Watched {
  readonly principalId: string;
  readonly open: Set<AbortController>;
  /** When the key expires. */
  readonly expiresAt: Date | undefined;
}

/**
 * Ends the calls of a key when it is revoked, has expired (within about a second) or its principal is disabled:
 * at once when that happens here, within some two seconds when another process does it. Only the calls of that key: those of other
 * keys of the principal go on.
 */
@Injectable()
export class KeyWatch implements OnApplicationBootstrap, OnModuleDestroy {
  /** By the id of the key. */
  private readonly watched = new Map<string, Watched>();
  private readonly endedKeys = new Set<string>();
  private readonly disabledPrincipals = new Set<string>();
  private readonly job: BackgroundJob;
  private revision = -1;
  /** Whether a key is watched that was not when the database was asked last. */
  private hasNew = false;
  private looks = 0;

  constructor(
    @Inject(PrincipalStore)
    private readonly store: Pick<PrincipalStore, 'revision' | 'validKeys'>,
    private readonly log: Log,
    private readonly clock: Clock,
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
   * Aborts `open` with UNAUTHENTICATED for its reason once the key of this caller is not valid any more,
   * until the function that is given back is called. Who came without a key is never ended.
   */
  watch({ id, keyId, expiresAt }: Principal, open: AbortController): () => void {
    if (keyId === undefined) return () => undefined;
    if (this.endedKeys.has(keyId)) {
      end(open);
      return () => undefined;
    }
    let entry = this.watched.get(keyId);
    if (entry === undefined) {
      entry = { principalId: id, open: new Set(), expiresAt };
      this.watched.set(keyId, entry);
      // What has ended it elsewhere may have been seen before anybody watched it.
      this.hasNew = true;
    }
    const { open: mine } = entry;
    mine.add(open);
    // Let in before that, or enabled again by another process: the database knows.
    if (this.disabledPrincipals.has(id)) void this.lookUpNow(keyId);
    return () => {
      mine.delete(open);
      if (mine.size === 0 && this.watched.get(keyId)?.open === mine) this.watched.delete(keyId);
    };
  }

  /** A key was revoked here. */
  revoked(keyId: string): void {
    remember(this.endedKeys, keyId);
    this.end(keyId);
  }

  /** A principal was disabled here: none of its keys is valid. */
  disabled(principalId: string): void {
    remember(this.disabledPrincipals, principalId);
    for (const [keyId, entry] of this.watched) {
      if (entry.principalId === principalId) this.end(keyId);
    }
  }

  /** A principal was enabled: its keys count again. */
  enabled(principalId: string): void {
    this.disabledPrincipals.delete(principalId);
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

  /** Ends the calls of those keys that are not valid. */
  private async lookUp(keyIds: readonly string[]): Promise<void> {
    const valid = await this.store.validKeys(keyIds);
    for (const id of keyIds) {
      if (!valid.has(id)) this.end(id);
      else this.disabledPrincipals.delete(this.watched.get(id)?.principalId ?? '');
    }
  }

  /** Never rejects: when the database is away, the next looks find out. */
  private async lookUpNow(keyId: string): Promise<void> {
    try {
      await this.lookUp([keyId]);
    } catch (error) {
      this.log.warn({ err: error }, CANNOT_LOOK);
    }
  }

  private endExpired(): void {
    const now = this.clock.now();
    for (const [keyId, { expiresAt }] of this.watched) {
      if (expiresAt !== undefined && expiresAt <= now) this.end(keyId, keyHasExpired(expiresAt));
    }
  }

  private end(keyId: string, why?: HubError): void {
    const entry = this.watched.get(keyId);
    this.watched.delete(keyId);
    for (const open of entry?.open ?? []) end(open, why);
  }
}

/** Throws what a call was ended with by {@link KeyWatch}; returns when it was not. */
export function refuseEnded({ aborted, reason }: AbortSignal): void {
  if (aborted && reason instanceof HubError) throw reason;
}

function end(
  open: AbortController,
  why = new HubError('UNAUTHENTICATED', 'The API key is no longer valid.'),
): void {
  open.abort(why);
}

function remember(ended: Set<string>, id: string): void {
  const oldest = ended.values().next();
  if (ended.size >= REMEMBERED && !oldest.done) ended.delete(oldest.value);
  ended.add(id);
}
