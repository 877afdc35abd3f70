import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import type { Clock } from '../../common/clock.js';
import type { Egress } from '../../common/egress/egress.js';
import { smallFetch } from '../../common/egress/small-fetch.js';
import { KeptValue } from '../../common/kept-value.js';
import type { Log } from '../../common/logger.js';
import { TroubleLog } from '../../common/trouble-log.js';
import { discover, metadataIn, reasonOf } from '../../common/oauth/discover.js';
import type { Issuer } from './issuer.js';

const MAX_ANSWER_BYTES = 256 * 1024;
const TIMEOUT_MS = 5000;
const MINUTE_MS = 60_000;
/** Used for so long when an issuer cannot be reached: new keys of it are not known meanwhile. */
const KEPT_MS = 60 * MINUTE_MS;
/** As long a key that the issuer has withdrawn is trusted while the issuer can be reached. */
const KEYS_FRESH_MS = 5 * MINUTE_MS;
const METADATA_FRESH_MS = 30 * MINUTE_MS;
/** An issuer that does not answer is asked again after that. */
const FAILURE_MS = 2000;
/** For a key that is not in the set, the set is read anew once in this time. */
const UNKNOWN_KEY_MS = 30_000;

type KeySet = JWTVerifyGetKey;

/** What an issuer publishes: its metadata (OpenID Connect Discovery, RFC 8414) and its keys (RFC 7517). */
export class IssuerMetadata {
  private readonly metadata: KeptValue<AuthorizationServer>;
  private readonly keySet: KeptValue<KeySet>;
  private readonly fetch: ReturnType<typeof smallFetch>;
  private renewedForKeyAt = -Infinity;

  constructor(
    private readonly issuer: Issuer,
    egress: Pick<Egress, 'fetch'>,
    private readonly clock: Clock,
    log: Pick<Log, 'warn'>,
    failed: () => void,
  ) {
    this.fetch = smallFetch(egress, MAX_ANSWER_BYTES);
    const trouble = new TroubleLog(log);
    const onFailure = (error: unknown, isUsed: boolean): void => {
      // Who needs what is too old is refused, which is counted there.
      if (isUsed) failed();
      trouble.warn(
        { issuer: issuer.id, why: reasonOf(error) },
        isUsed
          ? 'an issuer of access tokens cannot be reached: what it published last is used for an hour'
          : 'an issuer of access tokens cannot be reached: callers with its tokens get 503 until it can',
      );
    };
    const kept = <T>(freshMs: number, readNow: () => Promise<T>): KeptValue<T> => {
      const read = async (): Promise<T> => {
        const value = await readNow();
        trouble.over();
        return value;
      };
      return new KeptValue(
        { read, freshMs, keptMs: KEPT_MS, failureMs: FAILURE_MS, onFailure },
        clock,
      );
    };
    this.metadata = kept(METADATA_FRESH_MS, () => this.readMetadata());
    this.keySet = kept(KEYS_FRESH_MS, () => this.readKeys());
  }

  /** The key of a token. Rejects with an error of jose when there is none, with any other when the issuer cannot be reached. */
  readonly key: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.keySet.get();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !this.mayAskForKey()) throw error;
      const renewed = await this.keySet.renew();
      return await renewed(header, token);
    }
  };

  /** Reads the keys before they are needed. Rejects when they cannot be read. */
  async prepare(): Promise<void> {
    await this.keySet.get();
  }

  /** Resolves when its keys are fresh, read now where they are not; rejects when they cannot be. */
  async renewed(): Promise<void> {
    if (this.keySet.age() >= KEYS_FRESH_MS) await this.keySet.renew();
  }

  /** What it publishes of itself. Rejects when that cannot be read. */
  server(): Promise<AuthorizationServer> {
    return this.metadata.get();
  }

  /** Where it is asked about tokens. */
  async introspectionUrl(): Promise<string> {
    const { introspection_endpoint: url } = await this.metadata.get();
    if (url === undefined) throw new Error('its metadata has no introspection_endpoint');
    return url;
  }

  /** Anybody can write a key id into a token. */
  private mayAskForKey(): boolean {
    const now = this.clock.now().getTime();
    const last = Math.min(Math.abs(now - this.renewedForKeyAt), this.keySet.age());
    if (last < UNKNOWN_KEY_MS) return false;
    this.renewedForKeyAt = now;
    return true;
  }

  private async readKeys(): Promise<KeySet> {
    const { jwksUrl } = this.issuer;
    const url = jwksUrl ?? (await this.metadata.get()).jwks_uri;
    if (url === undefined) throw new Error('its metadata has no jwks_uri');
    const answer = await this.request(url, 'application/jwk-set+json, application/json');
    return createLocalJWKSet((await answer.json()) as JSONWebKeySet);
  }

  private async readMetadata(): Promise<AuthorizationServer> {
    const { issuer, metadataUrl } = this.issuer;
    if (metadataUrl !== null) {
      const answer = await this.request(metadataUrl, 'application/json');
      return metadataIn(answer, issuer);
    }
    return discover(issuer, this.fetch, TIMEOUT_MS);
  }

  private async request(url: string, accept: string): Promise<Response> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await this.fetch(url, { headers: { accept }, signal, redirect: 'manual' });
    if (answer.status === 200) return answer;
    await answer.body?.cancel();
    throw new Error(`${new URL(url).origin} answered HTTP ${answer.status}`);
  }
}
