import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Egress } from '../egress/egress.js';
import { discard, readJson } from '../egress/read-body.js';
import { type PublicJwk, keysOfSet } from './public-jwk.js';

/** A key set is small; what is larger is not one. */
const SET_LIMIT_BYTES = 256 * 1024;
const FETCH_TIMEOUT_MS = 5000;
/** How long a set is used before it is read again: as long as a key that was withdrawn is trusted. */
const FRESH_MS = 60 * 1000;
/** A key that is not in a set may have been added since it was read, if that is longer ago. */
const LOOK_AGAIN_MS = 10 * 1000;
/** The most sets that are cached. */
const MAX_CACHED = 100;

interface CachedSet {
  readonly keys: readonly PublicJwk[];
  readonly readAt: number;
}

/** JWK Sets by their address, read through the egress guard. */
@Injectable()
export class KeySets {
  private readonly cached = new Map<string, CachedSet>();

  constructor(
    private readonly egress: Egress,
    private readonly clock: Clock,
  ) {}

  /**
   * The keys at this address, of which `wanted` picks; read again when none is and the set is not
   * brand new. Rejects with an error that says why there is no set: refused by the guard,
   * unreachable, too large, or no JWK Set.
   */
  async find(
    url: string,
    wanted: (keys: readonly PublicJwk[]) => PublicJwk[],
  ): Promise<PublicJwk[]> {
    const known = this.cached.get(url);
    const age = known ? Math.abs(this.clock.now().getTime() - known.readAt) : Infinity;
    if (known && age < FRESH_MS) {
      const found = wanted(known.keys);
      if (found.length > 0 || age < LOOK_AGAIN_MS) return found;
    }
    const keys = await this.read(url);
    this.cached.delete(url);
    if (this.cached.size >= MAX_CACHED) this.cached.delete([...this.cached.keys()][0]!);
    this.cached.set(url, { keys, readAt: this.clock.now().getTime() });
    return wanted(keys);
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
