import type { Schema } from '../../../api/client';

type Shown = Pick<Schema<'WebhookDto'>, 'authentication' | 'tokenSet' | 'signingKeysSet'>;

/** How the requests of a webhook prove who sends, in words; no secret is known here. */
export function authenticationText({ authentication, tokenSet, signingKeysSet }: Shown): string {
  const parts = [
    authentication &&
      (authentication.profile ? `profile ${authentication.profile}` : authentication.scheme),
    signingKeysSet && 'signing keys',
    tokenSet && 'token',
  ].filter(Boolean);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
