import type { Clock } from '../../common/clock.js';
import { regularFileText } from '../../common/regular-file.js';
import { isRecord } from '../../common/is-record.js';
import { SourceError } from './secret-source.js';
import type { VaultAnswer, VaultWire } from './vault-wire.js';

/** How the hub logs in; secrets are given as such or in files, which are read at each login. */
export type VaultLogin =
  | { readonly method: 'token'; readonly token: string | null; readonly tokenFile: string | null }
  | {
      readonly method: 'kubernetes';
      readonly mount: string;
      readonly role: string;
      readonly jwtFile: string;
    }
  | {
      readonly method: 'approle';
      readonly mount: string;
      readonly roleId: string;
      readonly secretId: string | null;
      readonly secretIdFile: string | null;
    };

/** The login, or what may be read with it, is refused: it is for the operator to change. */
export class VaultRefused extends SourceError {
  constructor(message: string) {
    super('away', message);
  }
}

interface Token {
  readonly value: string;
  readonly renewable: boolean;
  /** Two thirds of its life are over: it is to be renewed. Monotonic, as its end; Infinity for one without an end. */
  readonly renewAt: number;
  readonly endsAt: number;
}

const LEAST_LIFE_MS = 10_000;
/** Those who read with a token that could not be renewed try it again after that. */
const RETRY_MS = 5000;
/** What no policy allows causes one new login in this time. */
const RELOGIN_PAUSE_MS = 10 * 60_000;

/** A token of its own is looked up to learn when it ends; one that cannot be looked up is used as it is. */
const UNKNOWN_LIFE: Life = { seconds: 0, renewable: false };
interface Life {
  /** 0: it has no end. */
  readonly seconds: number;
  readonly renewable: boolean;
}

/** Tokens that Vault gives for the hub's login: one at a time, renewed before it ends, and got anew when it cannot be. */
export class VaultTokens {
  private token: Token | undefined;
  private getting: Promise<Token> | undefined;
  /** When a token was last given up since it was refused. */
  private refusedAt = -Infinity;
  /** Until then a token that has not ended is used as it is. */
  private retryAt = -Infinity;

  constructor(
    private readonly login: VaultLogin,
    private readonly wire: VaultWire,
    private readonly clock: Clock,
  ) {}

  /** A token to read with. However many ask, Vault is asked by one at a time. One that cannot be renewed now is used until its end. */
  async get(): Promise<string> {
    const now = this.now();
    const { token } = this;
    if (token !== undefined && now < token.renewAt) return token.value;
    if (token !== undefined && now < Math.min(token.endsAt, this.retryAt)) return token.value;
    try {
      return (await this.renew()).value;
    } catch (error) {
      const used = this.token;
      if (used === undefined || this.now() >= used.endsAt) throw error;
      this.retryAt = this.now() + RETRY_MS;
      return used.value;
    }
  }

  /**
   * That one was refused. True when another may fare better: it is not the one in use, or it is used no more from now on. `isRevoked`:
   * it was good for the same before. Else what it may not read is told from a token that was revoked by a new login only, of which there
   * is one in ten minutes.
   */
  refused(value: string, isRevoked: boolean): boolean {
    if (this.token?.value !== value) return true;
    const now = this.now();
    if (!isRevoked && now - this.refusedAt < RELOGIN_PAUSE_MS) return false;
    this.refusedAt = now;
    this.token = undefined;
    return true;
  }

  /** Renews a token that is in use before it ends, so that it lives on while nothing is read. Rejects when it cannot be renewed. */
  async keepAlive(): Promise<void> {
    if (this.token !== undefined && this.now() >= this.token.renewAt) await this.renew();
  }

  private renew(): Promise<Token> {
    this.getting ??= this.next(this.token).finally(() => (this.getting = undefined));
    return this.getting;
  }

  private async next(token: Token | undefined): Promise<Token> {
    const isAlive = token !== undefined && this.now() < token.endsAt;
    const renewed = isAlive && token.renewable ? await this.renewed(token) : undefined;
    this.token = renewed ?? (await this.loggedIn());
    return this.token;
  }

  /** Undefined when it is not renewed, and a new login has to take its place. */
  private async renewed({ value }: Token): Promise<Token | undefined> {
    const answer = await this.wire.call('POST', 'auth/token/renew-self', {
      token: value,
      body: {},
    });
    if (answer.status !== 200) return undefined;
    const token = this.tokenOf(answer);
    // Near the longest life that Vault allows it, a renewal gives next to nothing.
    return token.endsAt - this.now() > LEAST_LIFE_MS && token.endsAt < Infinity ? token : undefined;
  }

  private async loggedIn(): Promise<Token> {
    const { login } = this;
    if (login.method === 'token') {
      const value = login.token ?? (await fileOf('tokenFile', login.tokenFile ?? ''));
      return this.made(value, await this.lifeOf(value));
    }
    const body =
      login.method === 'kubernetes'
        ? { role: login.role, jwt: await fileOf('jwtFile', login.jwtFile) }
        : {
            role_id: login.roleId,
            secret_id: login.secretId ?? (await fileOf('secretIdFile', login.secretIdFile ?? '')),
          };
    const answer = await this.wire.call('POST', `auth/${login.mount}/login`, { body });
    if (answer.status >= 400) {
      throw new VaultRefused(
        `cannot be read: Vault refuses the ${login.method} login at auth/${login.mount} (HTTP ${answer.status}); check secrets.vault.auth`,
      );
    }
    return this.tokenOf(answer);
  }

  private async lifeOf(token: string): Promise<Life> {
    const { status, body } = await this.wire.call('GET', 'auth/token/lookup-self', { token });
    if (status === 403) {
      throw new VaultRefused(
        'cannot be read: Vault refuses the token of secrets.vault.auth (HTTP 403)',
      );
    }
    if (status !== 200 || !isRecord(body['data'])) return UNKNOWN_LIFE;
    const { ttl, renewable } = body['data'];
    return { seconds: typeof ttl === 'number' ? ttl : 0, renewable: renewable === true };
  }

  private tokenOf({ body: { auth } }: VaultAnswer): Token {
    const given = isRecord(auth) ? auth : {};
    const { client_token: value, lease_duration: seconds, renewable } = given;
    if (typeof value !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(value)) {
      throw new SourceError('away', 'cannot be read: Vault answered a login without a token');
    }
    return this.made(value, {
      seconds: typeof seconds === 'number' && seconds > 0 ? seconds : 0,
      renewable: renewable === true,
    });
  }

  private made(value: string, { seconds, renewable }: Life): Token {
    const lifeMs = seconds === 0 ? Infinity : seconds * 1000;
    const now = this.now();
    return { value, renewable, renewAt: now + (lifeMs * 2) / 3, endsAt: now + lifeMs };
  }

  private now(): number {
    return this.clock.monotonicMs();
  }
}

async function fileOf(setting: string, path: string): Promise<string> {
  try {
    return (await regularFileText(path)).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SourceError(
      'away',
      `cannot be read: secrets.vault.auth.${setting} (${path}) cannot be read (${code})`,
      error,
    );
  }
}
