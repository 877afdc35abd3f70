import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Egress } from '../egress/egress.js';
import { discard, readJson } from '../egress/read-body.js';
import { evictOldest } from '../evict-oldest.js';
import { KeptValue } from '../kept-value.js';
import { type PublicJwk, keysOfSet } from './public-jwk.js';

/** A key set is small; what is larger is not one. */
const SET_LIMIT_BYTES = 256 * 1024;
const FETCH_TIMEOUT_MS = 5000;
/** How long a set is used before it is read again: as long as a key that was withdrawn is trusted. */
const FRESH_MS = 60 * 1000;
/** As long a set is used that cannot be read again. */
const KEPT_MS = 60 * 60 * 1000;
/** One that cannot be read is asked for again after that. */
const FAILURE_MS = 2000;
/** A key that is not in a set may have been added since it was read, if that is longer ago. */
const LOOK_AGAIN_MS = 10 * 1000;
/** The most sets that are cached. */
const MAX_CACHED = 100;

type KeySet = KeptValue<readonly PublicJwk[]>;

/** JWK Sets by their address, read through the egress guard. */
@Injectable()
export class KeySets {
  private readonly cached = new Map<string, KeySet>();

  constructor(
    private readonly egress: Egress,
    private readonly clock: Clock,
  ) {}

  /**
   * The keys at this address, of which `wanted` picks; read again when none is and the set is not
   * brand new. While it cannot be read, the last one is used for an hour. Rejects with an error that says why there
   * is no set: refused by the guard, unreachable, too large, or no JWK Set.
   */
  async find(
    url: string,
    wanted: (keys: readonly PublicJwk[]) => PublicJwk[],
  ): Promise<PublicJwk[]> {
    const set = this.setAt(url);
    // It may have lost a key: it is used beside being read only where that has failed.
    const isDue = set.age() >= FRESH_MS && set.trouble === undefined;
    const found = wanted(await (isDue ? set.renew().catch(() => set.get()) : set.get()));
    if (found.length > 0 || set.age() < LOOK_AGAIN_MS) return found;
    return wanted(await set.renew());
  }

  private setAt(url: string): KeySet {
    const known = this.cached.get(url);
    const rules = { freshMs: FRESH_MS, keptMs: KEPT_MS, failureMs: FAILURE_MS };
    const set = known ?? new KeptValue({ ...rules, read: () => this.read(url) }, this.clock);
    this.cached.delete(url);
    evictOldest(this.cached, MAX_CACHED);
    this.cached.set(url, set);
    return set;
  }

  private async read(url: string): Promise<PublicJwk[]> {
    const answer = await this.egress.request(url, {
      method: 'GET',
      headers: { accept: 'application/jwk-set+json, application/json' },
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    });
    if (answer.statusCode !== 200) {
      discard(answer.body);
      throw new Error(`HTTP ${answer.statusCode}`);
    }
    return keysOfSet(await readJson(answer, SET_LIMIT_BYTES));
  }
}
