import type { SecretReference } from '../../common/secret-references/secret-reference.js';
import { fieldOf, MAX_SECRET, type SecretSource, SourceError } from './secret-source.js';
import { VaultRefused, type VaultTokens } from './vault-tokens.js';
import type { VaultWire } from './vault-wire.js';

/** Secrets of the key-value engine of Vault, version 2. */
export class VaultSource implements SecretSource {
  constructor(
    readonly freshMs: number,
    private readonly mount: string,
    private readonly wire: VaultWire,
    private readonly tokens: Pick<VaultTokens, 'get' | 'drop'>,
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

  /** A token that is refused may have been revoked: another one is got, once. */
  private async answerOf(path: string): ReturnType<VaultWire['call']> {
    const token = await this.tokens.get();
    const answer = await this.wire.call('GET', path, { token });
    if (answer.status !== 403) return answer;
    this.tokens.drop(token);
    const again = await this.wire.call('GET', path, { token: await this.tokens.get() });
    if (again.status !== 403) return again;
    throw new VaultRefused(
      `may not be read with this login: its policy needs read on ${path} (HTTP 403)`,
    );
  }
}
