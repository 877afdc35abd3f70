import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { NO_REFERENCES } from '../../src/common/fake-secrets.js';
import type { SecretBox } from '../../src/common/secret-box.js';
import { Authenticator } from '../../src/push/auth/authenticator.js';
import type { ReceivedWebhook } from './webhook-sink.js';

/** Makes the proofs of configs that name everything themselves: there are no profiles and no hub tokens. */
export function plainAuthenticator(secrets: SecretBox): Authenticator {
  const none = (): Promise<never> => Promise.reject(new Error('the test has none'));
  return new Authenticator(
    secrets,
    { usable: () => Promise.resolve(undefined), automaticFor: () => undefined },
    { issue: none },
    { get: none, refused: () => false },
    { used: () => undefined },
    NO_REFERENCES,
  );
}

/** Whether the library of Standard Webhooks takes the request for one signed by this secret. */
export function verifies(key: string, { raw, headers }: ReceivedWebhook): boolean {
  try {
    new Webhook(key).verify(raw.toString(), headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

/** Whether a `v1a` signature of the request is one by this `whpk_` key's other half. */
export function verifiesEd25519(publicKey: unknown, { raw, headers }: ReceivedWebhook): boolean {
  const x = Buffer.from(String(publicKey).replace('whpk_', ''), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${raw.toString()}`;
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((each) => each.startsWith('v1a,'))
    .some((each) => verify(null, Buffer.from(content), key, Buffer.from(each.slice(4), 'base64')));
}
