import { Flag, Nested, Text } from '../../common/http/fields.js';
import { CLIENT_SCHEMES } from '../auth/schemes/schemes.js';
import type { GivenSecrets, RequestedWebhook } from '../registration/webhook-registration.js';

const SCHEMES = [...CLIENT_SCHEMES.values()].map(({ label }) => label).join(', ');
export const MAX_SIGNING_KEYS = 10;

export class WebhookAuthenticationDto {
  @Text({ min: 1, description: `One of ${SCHEMES}, in any case.`, example: 'Bearer' })
  scheme!: string;

  @Text({
    optional: true,
    writeOnly: true,
    description:
      'The credentials of the scheme: a token, `user:password` or a key; they are never returned.',
    example: 'the-receivers-token',
  })
  credentials?: string;
}

/** The secrets of a webhook, which are never shown again. Of one that exists: absent ones stay. */
export class WebhookSecretsDto {
  @Nested(() => WebhookAuthenticationDto, {
    optional: true,
    nullable: true,
    description: 'How the hub authenticates itself to the receiver; null: not at all.',
  })
  authentication?: WebhookAuthenticationDto | null;

  @Text({
    optional: true,
    nullable: true,
    writeOnly: true,
    description: 'Sent in the header A2A-Notification-Token; null: none.',
    example: 'new-token',
  })
  token?: string | null;

  @Text({
    optional: true,
    nullable: true,
    list: { max: MAX_SIGNING_KEYS },
    writeOnly: true,
    description:
      'Standard Webhooks keys, `whsec_` or `whsk_`, that sign every request in addition to the authentication; null or an empty list: none.',
  })
  signingKeys?: string[] | null;
}

export class RotateWebhookDto extends WebhookSecretsDto {
  @Flag({
    optional: true,
    default: false,
    description: 'Keep signing with the current keys in addition to the new ones.',
  })
  keepSigningKeys?: boolean;
}

/** The secrets that are given; what is null is taken away. */
export function secretsOf({ authentication, token, signingKeys }: WebhookSecretsDto): GivenSecrets {
  const isGiven = authentication !== undefined;
  const given = isGiven ? { authentication: authenticationOf(authentication) ?? null } : {};
  return { ...given, token, signingKeys };
}

/** The secrets of a new webhook, absent ones too. */
interface NewSecrets {
  readonly authentication: RequestedWebhook['authentication'];
  readonly token: RequestedWebhook['token'];
  readonly signingKeys: readonly string[];
}

export function newSecretsOf({
  authentication,
  token,
  signingKeys,
}: WebhookSecretsDto): NewSecrets {
  return {
    authentication: authenticationOf(authentication),
    token,
    signingKeys: signingKeys ?? [],
  };
}

function authenticationOf(
  requested: WebhookAuthenticationDto | null | undefined,
): RequestedWebhook['authentication'] {
  return requested
    ? { scheme: requested.scheme, credentials: requested.credentials ?? '' }
    : undefined;
}
