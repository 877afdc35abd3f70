import type { Egress } from '../../common/egress/egress.js';
import { smallFetch } from '../../common/egress/small-fetch.js';
import { HubError } from '../../common/hub-error.js';
import { isRecord } from '../../common/is-record.js';
import { SourceError } from './secret-source.js';

const MAX_ANSWER_BYTES = 1024 * 1024;

export interface VaultAddress {
  /** Without a final slash. */
  readonly address: string;
  readonly namespace: string | null;
  /** PEM of the authorities that are trusted; null: those of the system. */
  readonly caCertificate: string | null;
  readonly timeoutMs: number;
}

export interface VaultAnswer {
  /** 200 to 299, 400, 403 or 404. */
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What is wrong with a Vault that is not well, by its status. */
const TROUBLES: Readonly<Record<number, string>> = {
  412: 'Vault has not caught up with its primary yet',
  429: 'Vault is in standby, or asks for fewer requests',
  472: 'Vault is a replica for recovery: set secrets.vault.address to the active one',
  473: 'Vault is a standby for reads: set secrets.vault.address to the active one',
  501: 'Vault is not initialized',
  503: 'Vault is sealed or in maintenance: unseal it',
};

/** Calls of Vault's HTTP API, through the egress guard. */
export class VaultWire {
  private readonly fetch: ReturnType<typeof smallFetch>;

  constructor(
    egress: Pick<Egress, 'fetchWith'>,
    private readonly server: VaultAddress,
  ) {
    const { caCertificate: ca } = server;
    this.fetch = smallFetch(
      { fetch: egress.fetchWith(ca === null ? {} : { ca }) },
      MAX_ANSWER_BYTES,
    );
  }

  /** Rejects with {@link SourceError} `away` when Vault cannot be asked. What it writes is never quoted. */
  async call(
    method: 'GET' | 'POST',
    path: string,
    { token, body }: { readonly token?: string; readonly body?: object },
  ): Promise<VaultAnswer> {
    const { address, namespace, timeoutMs } = this.server;
    const headers = {
      accept: 'application/json',
      'x-vault-request': 'true',
      ...(token === undefined ? {} : { 'x-vault-token': token }),
      ...(namespace === null ? {} : { 'x-vault-namespace': namespace }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await this.fetch(`${address}/v1/${path}`, {
        method,
        headers,
        signal,
        ...sent,
      });
      return this.answerOf(answer.status, await answer.text());
    } catch (error) {
      throw error instanceof SourceError ? error : unreachable(error, this.server);
    }
  }

  private answerOf(status: number, text: string): VaultAnswer {
    if (status >= 300 && status < 400) {
      throw new SourceError(
        'away',
        `Vault points elsewhere (HTTP ${status}), which is not followed: set secrets.vault.address to its active node`,
      );
    }
    const isUsable = (status >= 200 && status < 300) || [400, 403, 404].includes(status);
    if (!isUsable) {
      const what = TROUBLES[status] ?? 'Vault failed';
      throw new SourceError('away', `cannot be read now: ${what} (HTTP ${status})`);
    }
    const body = parsed(text);
    if (body !== undefined && isOfVault(body)) return { status, body };
    throw new SourceError(
      'away',
      `cannot be read: what answers there (HTTP ${status}) is not Vault; is something before it that answers in its place?`,
    );
  }
}

/** Also what it refuses, or does not have, Vault tells in a form of its own: a proxy before it has another. */
function isOfVault({ errors, data, auth }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(errors) || isRecord(data) || isRecord(auth);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function unreachable(error: unknown, { address, timeoutMs }: VaultAddress): SourceError {
  const { name, code, message } = error as { name?: unknown; code?: unknown; message?: unknown };
  const why =
    error instanceof HubError && error.reason === 'EGRESS_DENIED'
      ? `${error.message} List it in egress.allow.`
      : name === 'TimeoutError'
        ? `no answer within ${timeoutMs / 1000} s`
        : typeof code === 'string' && code !== ''
          ? code
          : String(message);
  return new SourceError(
    'away',
    `cannot be read: Vault at ${address} cannot be asked: ${why}`,
    error,
  );
}
