import { evictOldest } from '../../common/evict-oldest.js';
import type { SecretReference } from '../../common/secret-references/secret-reference.js';
import { fieldOf, MAX_SECRET, type SecretSource, SourceError } from './secret-source.js';
import { VaultRefused, type VaultTokens } from './vault-tokens.js';
import type { VaultAnswer, VaultWire } from './vault-wire.js';

/** Paths that are remembered. */
const MOST_PATHS = 10_000;

/** Secrets of the key-value engine of Vault, version 2. */
export class VaultSource implements SecretSource {
  /** What could be read when it was last asked for. */
  private readonly allowed = new Set<string>();

  constructor(
    readonly freshMs: number,
    private readonly mount: string,
    private readonly wire: VaultWire,
    private readonly tokens: Pick<VaultTokens, 'get' | 'refused'>,
  ) {}

  async read({ path, member }: SecretReference): Promise<string> {
    const { status, body } = await this.answerOf(`${this.mount}/data/${path}`);
    // So an engine answers as well that is being made one of version 2.
    if (status === 400) {
      throw new SourceError(
        'away',
        'cannot be read now: Vault does not take the request (HTTP 400)',
      );
    }
    // A deleted or destroyed version is 404 with its metadata, in some versions 200 without data.
    const { data, metadata } = (body.data ?? {}) as { data?: unknown; metadata?: unknown };
    const isDeleted = metadata !== undefined && metadata !== null && (data ?? null) === null;
    if (isDeleted) throw new SourceError('gone', 'is deleted in Vault: write a new version');
    if (status === 404) {
      throw new SourceError(
        'gone',
        `is not in Vault below the mount ${this.mount}, or that is no key-value engine of version 2`,
      );
    }
    const value = fieldOf(data, member ?? '');
    if (value.length > MAX_SECRET) {
      throw new SourceError('gone', `has more than ${MAX_SECRET} characters`);
    }
    return value;
  }

  /** A token that is refused may have been revoked, surely where it could read the same before: another one is got, once. */
  private async answerOf(path: string): Promise<VaultAnswer> {
    const token = await this.tokens.get();
    const answer = await this.requested(path, token);
    if (answer !== undefined) return answer;
    const isRevoked = this.allowed.delete(path);
    if (this.tokens.refused(token, isRevoked)) {
      const again = await this.requested(path, await this.tokens.get());
      if (again !== undefined) return again;
      this.allowed.delete(path);
    }
    throw new VaultRefused(
      `may not be read with this login: its policy needs read on ${path} (HTTP 403)`,
    );
  }

  /** Undefined when the token is refused. */
  private async requested(path: string, token: string): Promise<VaultAnswer | undefined> {
    const answer = await this.wire.call('GET', path, { token });
    if (answer.status === 403) return undefined;
    this.allowed.delete(path);
    evictOldest(this.allowed, MOST_PATHS);
    this.allowed.add(path);
    return answer;
  }
}
