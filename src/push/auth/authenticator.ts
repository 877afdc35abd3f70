import type { TlsChoice } from '../../common/egress/tls-choice.js';
import type { SecretBox } from '../../common/secret-box.js';
import {
  type AuthScheme,
  authHeader,
  isHeaderScheme,
  keyHeaderOf,
  mayCarryKey,
  NO_KEY_HEADER,
  secretForms,
} from './domain/auth-scheme.js';
import { type SignedMessage, signaturesOf, splitKeys } from './domain/standard-webhooks.js';
import { AuthImpossibleError } from './auth-failure.js';
import type { AuthProfile } from './auth-profile.js';
import type { CertificateWatch } from './certificate-watch.js';
import type { HubTokens } from './hub-tokens.js';
import type { KnownProfiles } from './known-profiles.js';
import type { OauthTokens } from './oauth-tokens.js';

/** What proves who sends one request. */
export interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  /** Values that must not appear in what is kept of the answer. */
  readonly secrets: readonly string[];
  readonly tls: TlsChoice;
  /** After a 401: whether another proof may fare better; what was refused is not used again then. */
  readonly refused?: () => boolean;
}

/** A webhook of a task, as far as its proof depends on it; see `Registration`. */
export interface ProvenWebhook {
  readonly taskId: string;
  readonly organization: string;
  readonly url: string;
  readonly authScheme: AuthScheme | null;
  readonly authProfile: string | null;
  readonly sealedCredentials: string | null;
  readonly sealedSigningKeys: string | null;
}

/** A proof in the making: keys that sign are gathered, because they share one header. */
interface Making {
  headers: Record<string, string>;
  secrets: string[];
  keys: string[];
  tls: TlsChoice;
  refused?: () => boolean;
}

/**
 * Makes the proof of one attempt: what the webhook names wins over an automatic profile, and its
 * signing keys sign besides.
 */
export class Authenticator {
  constructor(
    private readonly secrets: SecretBox,
    private readonly profiles: Pick<KnownProfiles, 'usable' | 'automaticFor'>,
    private readonly hubTokens: Pick<HubTokens, 'issue'>,
    private readonly oauthTokens: Pick<OauthTokens, 'get' | 'refused'>,
    private readonly certificates: Pick<CertificateWatch, 'used'>,
  ) {}

  /**
   * Rejects with `AuthUnavailableError` when it cannot be made now, with {@link AuthImpossibleError}
   * when it cannot be made at all.
   */
  async prove(webhook: ProvenWebhook, message: SignedMessage): Promise<Proof> {
    const making: Making = { headers: {}, secrets: [], keys: [], tls: {} };
    await this.main(making, webhook, message);
    if (webhook.sealedSigningKeys !== null) {
      making.keys.push(...splitKeys(this.secrets.open(webhook.sealedSigningKeys)));
    }
    const { keys, headers, secrets, ...rest } = making;
    if (keys.length > 0) {
      headers['webhook-signature'] = signaturesOf([...new Set(keys)], message);
      secrets.push(...keys);
    }
    return { headers, secrets, ...rest };
  }

  private async main(
    making: Making,
    webhook: ProvenWebhook,
    message: SignedMessage,
  ): Promise<void> {
    const { authScheme: scheme, authProfile, sealedCredentials, organization, url } = webhook;
    if (scheme === null) {
      const profile = this.profiles.automaticFor(organization, url);
      if (profile) await this.byProfile(making, profile, webhook, message);
    } else if (scheme === 'profile') {
      const name = authProfile ?? '';
      const profile = await this.profiles.usable(organization, name, url);
      if (!profile) {
        throw new AuthImpossibleError(`there is no auth profile ${name} for this address`);
      }
      await this.byProfile(making, profile, webhook, message);
    } else if (scheme === 'jwt') {
      await this.byHubToken(making, webhook, message);
    } else {
      if (sealedCredentials === null) throw new AuthImpossibleError(`${scheme} has no credentials`);
      const credentials = this.secrets.open(sealedCredentials);
      if (isHeaderScheme(scheme)) byHeader(making, scheme, credentials);
      else making.keys.push(...splitKeys(credentials));
    }
  }

  private async byProfile(
    making: Making,
    profile: AuthProfile,
    webhook: ProvenWebhook,
    message: SignedMessage,
  ): Promise<void> {
    const { scheme, parameters } = profile;
    if (scheme === 'jwt') return this.byHubToken(making, webhook, message);
    const secret = this.secrets.open(profile.sealedSecret ?? '');
    switch (scheme) {
      case 'bearer':
        return byHeader(making, 'bearer', secret);
      case 'basic':
        return byHeader(making, 'basic', `${parameters.username ?? ''}:${secret}`);
      case 'api-key':
        return byHeader(making, 'api-key', `${parameters.header ?? 'X-API-Key'}: ${secret}`);
      case 'hmac':
      case 'ed25519':
        making.keys.push(secret, ...this.previousKeys(profile, message.at));
        return;
      case 'oauth2': {
        const token = await this.oauthTokens.get(profile, secret);
        byHeader(making, 'bearer', token);
        making.secrets.push(secret);
        making.refused = () => this.oauthTokens.refused(profile, token);
        return;
      }
      case 'mtls': {
        this.certificates.used(profile, message.at);
        const { certificate = '', ca } = parameters;
        const clientCertificate = { certificate, key: secret };
        making.tls = { clientCertificate, ...(ca === undefined ? {} : { ca }) };
        return;
      }
      default:
        // Nothing is sent without the proof that was asked for.
        throw new Error(`there is no way to prove by the scheme ${String(scheme satisfies never)}`);
    }
  }

  private previousKeys({ sealedPrevious, previousUntil }: AuthProfile, at: Date): string[] {
    const over = sealedPrevious === null || previousUntil === null || previousUntil <= at;
    return over ? [] : [this.secrets.open(sealedPrevious)];
  }

  private async byHubToken(
    making: Making,
    webhook: ProvenWebhook,
    message: SignedMessage,
  ): Promise<void> {
    const { url, taskId, organization } = webhook;
    const { at, body } = message;
    byHeader(making, 'bearer', await this.hubTokens.issue({ url, taskId, organization, at, body }));
  }
}

function byHeader(
  making: Making,
  scheme: 'bearer' | 'basic' | 'api-key',
  credentials: string,
): void {
  // What was registered when more headers were allowed is not sent.
  if (scheme === 'api-key' && !mayCarryKey(keyHeaderOf(credentials))) {
    throw new AuthImpossibleError(`the header ${keyHeaderOf(credentials)} ${NO_KEY_HEADER}`);
  }
  Object.assign(making.headers, authHeader(scheme, credentials));
  making.secrets.push(...secretForms(scheme, credentials));
}
