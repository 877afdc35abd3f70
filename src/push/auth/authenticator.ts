import { Inject, Injectable } from '@nestjs/common';
import type { TlsChoice } from '../../common/egress/tls-choice.js';
import { SecretBox } from '../../common/secret-box.js';
import { isReferred } from '../../common/secret-references/referred-secret.js';
import {
  SecretReferences,
  SecretUnavailableError,
} from '../../common/secret-references/secret-references.js';
import { type SignedMessage, signaturesOf, splitKeys } from './domain/standard-webhooks.js';
import { AuthImpossibleError } from './auth-failure.js';
import type { AuthProfile } from './auth-profile.js';
import { CertificateWatch, type UsedCertificate } from '../../common/certificate-watch.js';
import { HubTokens } from './hub-tokens.js';
import { KnownProfiles } from './known-profiles.js';
import { OauthTokens } from './oauth-tokens.js';
import type { Making, ProfileScheme, Proving } from './schemes/scheme.js';
import { type AuthSchemeName, clientScheme, profileScheme } from './schemes/schemes.js';

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
  readonly authScheme: AuthSchemeName | null;
  readonly authProfile: string | null;
  readonly sealedCredentials: string | null;
  readonly sealedSigningKeys: string | null;
}

/**
 * Makes the proof of one attempt: what the webhook names wins over an automatic profile, and its
 * signing keys sign besides.
 */
@Injectable()
export class Authenticator {
  constructor(
    private readonly secrets: SecretBox,
    @Inject(KnownProfiles)
    private readonly profiles: Pick<KnownProfiles, 'usable' | 'automaticFor'>,
    @Inject(HubTokens) private readonly hubTokens: Pick<HubTokens, 'issue'>,
    @Inject(OauthTokens) private readonly oauthTokens: Pick<OauthTokens, 'get' | 'refused'>,
    @Inject(CertificateWatch) private readonly certificates: Pick<CertificateWatch, 'used'>,
    @Inject(SecretReferences)
    private readonly references: Pick<SecretReferences, 'current' | 'resolve' | 'refresh'>,
  ) {}

  /**
   * Rejects with `AuthUnavailableError` when it cannot be made now, with {@link AuthImpossibleError}
   * when it cannot be made at all.
   */
  async prove(webhook: ProvenWebhook, message: SignedMessage): Promise<Proof> {
    const making: Making = { headers: {}, secrets: [], keys: [], tls: {} };
    const { url, taskId, organization } = webhook;
    const { at, body } = message;
    const hubToken = (): Promise<string> =>
      this.hubTokens.issue({ url, taskId, organization, at, body });
    await this.byWebhook({ making, message, hubToken }, webhook, at);
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

  private async byWebhook(proving: Proving, webhook: ProvenWebhook, at: Date): Promise<void> {
    const { authScheme: scheme, authProfile, sealedCredentials, organization, url } = webhook;
    if (scheme === null) {
      const profile = this.profiles.automaticFor(organization, url);
      if (profile) await this.byProfile(proving, profile, at);
      return;
    }
    await clientScheme(scheme).prove({
      credentials: () => {
        if (sealedCredentials === null) {
          throw new AuthImpossibleError(`${scheme} has no credentials`);
        }
        return this.secrets.open(sealedCredentials);
      },
      byProfile: async () => {
        const name = authProfile ?? '';
        const profile = await this.profiles.usable(organization, name, url);
        if (!profile) {
          throw new AuthImpossibleError(`there is no auth profile ${name} for this address`);
        }
        await this.byProfile(proving, profile, at);
      },
      ...proving,
    });
  }

  private async byProfile(proving: Proving, profile: AuthProfile, at: Date): Promise<void> {
    const { parameters, sealedSecret } = profile;
    const scheme = profileScheme(profile.scheme);
    const stored = scheme.secret === null ? '' : this.secrets.open(sealedSecret ?? '');
    const known = async (): Promise<string> => {
      const secret = this.references.current(stored) ?? (await this.references.resolve(stored));
      if (isReferred(stored)) checkReferred(profile.name, scheme.secret, secret);
      return secret;
    };
    const newest = async (): Promise<string> => {
      await this.references.refresh(stored);
      return known();
    };
    const secret = await known();
    await scheme.prove({
      ...proving,
      parameters,
      secret,
      previousSecrets: () => this.previousSecrets(profile, at),
      accessToken: async () => {
        const token = await this.oauthTokens.get(profile, secret, newest);
        return { token, refused: () => this.oauthTokens.refused(profile, token) };
      },
      noteCertificate: () => this.certificates.used(certificateOf(profile), at),
    });
  }

  /** One that is referred to counts while it is known: the new one signs as well. */
  private previousSecrets({ sealedPrevious, previousUntil }: AuthProfile, at: Date): string[] {
    const over = sealedPrevious === null || previousUntil === null || previousUntil <= at;
    const previous = over ? undefined : this.references.current(this.secrets.open(sealedPrevious));
    return previous === undefined ? [] : [previous];
  }
}

/** What is read of elsewhere follows the rules of a secret that is given: else it waits until it does. */
function checkReferred(name: string, rules: ProfileScheme['secret'], secret: string): void {
  const fault = rules?.rule?.(secret);
  if (fault === undefined) return;
  throw new SecretUnavailableError(
    `The secret that the auth profile ${name} refers to ${fault}: change it in its source.`,
  );
}

function certificateOf({
  id,
  version,
  name,
  organization,
  parameters,
}: AuthProfile): UsedCertificate {
  const { certificate = '' } = parameters;
  const owner = { profile: name, organization };
  return { key: `${id} ${version}`, certificate, owner, of: 'an auth profile' };
}
