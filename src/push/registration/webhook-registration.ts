import { Injectable } from '@nestjs/common';
import { WebhookEgress } from '../../common/egress/webhook-egress.js';
import { HubError, invalidField, invalidFields } from '../../common/hub-error.js';
import { SecretBox } from '../../common/secret-box.js';
import { HubSettings } from '../../database/hub-settings.js';
import { storable } from '../../database/text.js';
import type { AuthenticationInfo } from '../../protocol/a2a.js';
import type { ProtocolVersion } from '../../protocol/protocol-version.js';
import { KnownProfiles } from '../auth/known-profiles.js';
import { refuseControl, refuseMisread, refuseUnprintable } from '../auth/domain/header-values.js';
import { refuseBadKeys } from '../auth/domain/signing-keys.js';
import { readAuthentication } from '../auth/read-authentication.js';
import { endpointOf } from '../receivers/endpoint.js';
import { isSubscriptionConfigId } from './domain/config-id.js';
import { type StoredSecrets, carriedElsewhere } from './domain/stored-secrets.js';
import type { TaskWebhookDraft } from './webhook.js';

/**
 * Characters. All headers of a request together stay below 16 KiB, beyond which many servers answer 431: the
 * token goes out twice, and Basic credentials grow by a third.
 */
export const WEBHOOK_LIMITS = { url: 4096, id: 256, token: 2048, secret: 8192 } as const;

/** Webhooks that one task may have. */
export const MAX_WEBHOOKS_PER_TASK = 100;

const OPENED_BY = 'push.allow opens what webhooks may reach besides public https';

/** A webhook as it is requested; absent and empty members request nothing. */
export interface RequestedWebhook {
  readonly url: string;
  readonly version: ProtocolVersion;
  readonly token?: string | null | undefined;
  readonly authentication?: AuthenticationInfo | undefined;
  /** The member `authentication` as a 0.x client wrote it; it wins over the canonical one. */
  readonly rawAuthentication?: unknown;
  /** Keys of Standard Webhooks that sign besides, `whsec_…` or `whsk_…`. */
  readonly signingKeys?: readonly string[] | undefined;
}

/** Secrets of a webhook that is there already: absent ones stay, null takes one away. */
export interface GivenSecrets {
  readonly authentication?: AuthenticationInfo | null | undefined;
  readonly token?: string | null | undefined;
  readonly signingKeys?: readonly string[] | null | undefined;
}

/** Where a webhook is. */
export type CheckedAddress = Pick<TaskWebhookDraft, 'url' | 'endpoint' | 'verified'>;

/** How the hub proves itself. */
export type CheckedAuthentication = Pick<
  TaskWebhookDraft,
  'authScheme' | 'authNames' | 'authProfile' | 'sealedCredentials'
>;

/** The secrets of a change, checked and sealed; absent ones stay. */
export type CheckedSecrets = Partial<
  CheckedAuthentication & Pick<TaskWebhookDraft, 'sealedToken' | 'sealedSigningKeys'>
>;

/** All that a webhook says of itself, checked and with its secrets sealed. */
export type CheckedWebhook = CheckedAddress &
  CheckedAuthentication &
  Pick<TaskWebhookDraft, 'version' | 'sealedToken' | 'sealedSigningKeys' | 'fingerprint'>;

/** The members of which a fingerprint is made. */
type Fingerprinted = Omit<CheckedWebhook, 'fingerprint' | 'endpoint' | 'verified' | 'authNames'>;

/**
 * The one place where a requested webhook is checked, whether the request comes from a client of the A2A API, the
 * admin API, a subscription. Each check throws HubError INVALID_PARAMS naming the field under `path`
 * (empty, or ending in a dot), never with a secret in it.
 */
@Injectable()
export class WebhookRegistration {
  constructor(
    private readonly egress: WebhookEgress,
    private readonly secrets: SecretBox,
    private readonly settings: HubSettings,
    private readonly profiles: KnownProfiles,
  ) {}

  async check(
    requested: RequestedWebhook,
    organization: string,
    path: string,
  ): Promise<CheckedWebhook> {
    const checked = {
      ...(await this.address(requested.url, organization, path)),
      ...this.authentication(requested.authentication, requested.rawAuthentication, path),
      version: requested.version,
      sealedToken: this.token(requested.token, path),
      sealedSigningKeys: this.signingKeys(requested.signingKeys ?? [], path),
    };
    await this.requireProfile({ ...checked, organization }, path);
    return { ...checked, fingerprint: await this.fingerprint(checked) };
  }

  /** The auth profile that a webhook names, if any, must be there for its organization and its address. */
  async requireProfile(
    webhook: Pick<TaskWebhookDraft, 'organization' | 'authProfile' | 'url'>,
    path: string,
  ): Promise<void> {
    const { organization, authProfile, url } = webhook;
    const field = `${path}authentication.credentials`;
    await this.profiles.require(organization, authProfile, url, field);
  }

  /**
   * Passes the egress guard, which looks again at every attempt. A host that does not resolve is
   * accepted as not verified.
   */
  async address(url: string, organization: string, path: string): Promise<CheckedAddress> {
    const field = `${path}url`;
    if (!url) throw invalidField(field, 'is required');
    refuseLong(url, WEBHOOK_LIMITS.url, field);
    refuseControl(url, field);
    refuseMisread(url, field);
    if (url !== url.trim()) throw invalidField(field, 'must not begin or end with a blank');
    try {
      const { verified } = await this.egress.check(organization, url);
      const endpoint = endpointOf(organization, url);
      return { verified, url: storable(url), endpoint: storable(endpoint) };
    } catch (error) {
      if (error instanceof HubError) throw invalidField(field, `${error.message} (${OPENED_BY})`);
      throw error;
    }
  }

  authentication(
    requested: AuthenticationInfo | undefined,
    raw: unknown,
    path: string,
  ): CheckedAuthentication {
    const auth = under(path, () => readAuthentication(requested, raw));
    const credentials = auth?.credentials ?? null;
    if (credentials !== null) {
      refuseLong(credentials, WEBHOOK_LIMITS.secret, `${path}authentication.credentials`);
    }
    return {
      authScheme: auth?.scheme ?? null,
      authNames: auth?.names ?? [],
      authProfile: auth?.profile ?? null,
      sealedCredentials: credentials === null ? null : this.secrets.seal(credentials),
    };
  }

  /** Null for none. */
  token(requested: string | null | undefined, path: string): string | null {
    if (!requested) return null;
    refuseLong(requested, WEBHOOK_LIMITS.token, `${path}token`);
    refuseUnprintable(requested, `${path}token`);
    return this.secrets.seal(requested);
  }

  /** `kept` are sealed keys that go on signing behind those asked for; null when there are none at all. */
  signingKeys(
    requested: readonly string[],
    path: string,
    kept: string | null = null,
  ): string | null {
    const old = kept === null ? [] : this.secrets.open(kept).split(' ');
    const keys = [...requested, ...old.filter((key) => !requested.includes(key))];
    if (keys.length === 0) return null;
    for (const [i, key] of requested.entries())
      refuseBadKeys(key, 'any', `${path}signingKeys[${i}]`);
    refuseBadKeys(keys.join(' '), 'any', `${path}signingKeys`);
    return this.secrets.seal(keys.join(' '));
  }

  /** The secrets of a change. `kept` are sealed keys that go on signing behind the given ones. */
  given(
    { authentication, token, signingKeys }: GivenSecrets,
    kept: string | null = null,
  ): CheckedSecrets {
    const keys = signingKeys ?? [];
    return {
      ...(authentication !== undefined &&
        this.authentication(authentication ?? undefined, undefined, '')),
      ...(token !== undefined && { sealedToken: this.token(token, '') }),
      ...(signingKeys !== undefined && {
        sealedSigningKeys: this.signingKeys(keys, '', signingKeys === null ? null : kept),
      }),
    };
  }

  /** Distinguishes two registrations without revealing their secrets. */
  fingerprint(checked: Fingerprinted): Promise<string> {
    const { url, version, authScheme, authProfile } = checked;
    const { sealedCredentials, sealedToken, sealedSigningKeys } = checked;
    const secrets = [sealedCredentials, sealedToken, sealedSigningKeys].map((sealed) =>
      sealed === null ? null : this.secrets.open(sealed),
    );
    return this.settings.fingerprint([url, version, authScheme, authProfile, ...secrets]);
  }
}

/** Throws INVALID_PARAMS naming every secret that the change would let another origin read. */
export function refuseCarried(present: StoredSecrets, change: Partial<StoredSecrets>): void {
  const description =
    'was given for another origin and is not taken along; give it again, or take it away with null';
  const fields = carriedElsewhere(present, change);
  if (fields.length > 0) throw invalidFields(fields.map((field) => ({ field, description })));
}

/** A rotation has to give one secret at least. */
export function refuseNoSecret({ authentication, token, signingKeys }: GivenSecrets): void {
  if (authentication !== undefined || token !== undefined || signingKeys !== undefined) return;
  throw invalidField('authentication', 'must be given, or token or signingKeys');
}

/** Null when the client named none. */
export function checkConfigId(id: string | undefined, path: string): string | null {
  if (!id) return null;
  refuseLong(id, WEBHOOK_LIMITS.id, `${path}id`);
  refuseControl(id, `${path}id`);
  refuseMisread(id, `${path}id`);
  if (isSubscriptionConfigId(id)) {
    throw invalidField(`${path}id`, 'must not begin with "subscription:", as those of the hub do');
  }
  return storable(id);
}

function refuseLong(value: string, limit: number, field: string): void {
  if (value.length > limit)
    throw invalidField(field, `must not be longer than ${limit} characters`);
}

/** Names the field by its path in the whole request. */
function under<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const [first] = error instanceof HubError ? error.violations : [];
    if (path === '' || !first) throw error;
    throw invalidField(path + first.field, first.description);
  }
}
