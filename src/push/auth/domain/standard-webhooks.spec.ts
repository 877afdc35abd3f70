import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  ed25519KeyOf,
  hmacSecretOf,
  keysFault,
  publicKeyOf,
  signaturesOf,
  timestampOf,
} from './standard-webhooks.js';

const OLD = hmacSecretOf(Buffer.alloc(24, 1));
const NEW = hmacSecretOf(Buffer.alloc(64, 2));
const SEED = Buffer.alloc(32, 3);
const KEY = ed25519KeyOf(SEED);

/** Sent now, because receivers refuse what is old. */
function message(body = '{"text":"grüß Gott 🎉"}') {
  return { webhookId: 'cfg.7', at: new Date(), body };
}

function headersOf(keys: readonly string[], sent: ReturnType<typeof message>) {
  return {
    'webhook-id': sent.webhookId,
    'webhook-timestamp': timestampOf(sent.at),
    'webhook-signature': signaturesOf(keys, sent),
  };
}

/** As a receiver verifies `v1a`, with nothing but the public key. */
function verifiesEd25519(
  publicKey: string,
  headers: Record<string, string>,
  body: string,
): boolean {
  const raw = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw }, format: 'jwk' });
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature']!.split(' ').some((each) => {
    const [version, signature = ''] = each.split(',');
    return (
      version === 'v1a' && verify(null, Buffer.from(content), key, Buffer.from(signature, 'base64'))
    );
  });
}

describe('signaturesOf', () => {
  it('makes what the reference library verifies, for the exact bytes', () => {
    const sent = message();
    const headers = headersOf([OLD], sent);
    expect(new Webhook(OLD).verify(sent.body, headers)).toEqual({ text: 'grüß Gott 🎉' });
    expect(() => new Webhook(OLD).verify(`${sent.body} `, headers)).toThrow();
    expect(() => new Webhook(NEW).verify(sent.body, headers)).toThrow();
    expect(() => new Webhook(OLD).verify(sent.body, { ...headers, 'webhook-id': 'x' })).toThrow();
  });

  it('is verified by either secret during a rotation', () => {
    const sent = message();
    const headers = headersOf([NEW, OLD], sent);
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [OLD, NEW]) {
      expect(() => new Webhook(secret).verify(sent.body, headers)).not.toThrow();
    }
  });

  it('signs by ed25519 beside it, verified by the public key alone', () => {
    const sent = message();
    const headers = headersOf([OLD, KEY], sent);
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1a,\S+$/);
    expect(verifiesEd25519(publicKeyOf(KEY), headers, sent.body)).toBe(true);
    expect(verifiesEd25519(publicKeyOf(KEY), headers, 'else')).toBe(false);
    const other = publicKeyOf(ed25519KeyOf(Buffer.alloc(32, 4)));
    expect(verifiesEd25519(other, headers, sent.body)).toBe(false);
    expect(() => new Webhook(OLD).verify(sent.body, headers)).not.toThrow();
  });

  it('takes a seed for the key it is', () => {
    const seedOnly = `whsk_${SEED.toString('base64')}`;
    expect(keysFault(seedOnly, 'any')).toBeUndefined();
    expect(publicKeyOf(seedOnly)).toBe(publicKeyOf(KEY));
    const sent = message();
    expect(signaturesOf([seedOnly], sent)).toBe(signaturesOf([KEY], sent));
  });
});

describe('keysFault', () => {
  it('takes both kinds where both are allowed', () => {
    expect(keysFault(`${OLD} ${KEY}`, 'any')).toBeUndefined();
    expect(keysFault(KEY, 'ed25519')).toBeUndefined();
  });

  it.each([
    ['an HMAC secret for ed25519', OLD, 'ed25519', /whsk_/],
    ['a key of another size', `whsk_${Buffer.alloc(33).toString('base64')}`, 'any', /32 or 64.*33/],
    ['a public key', publicKeyOf(KEY), 'any', /whsec_ or whsk_/],
    ['a key with the public key of another', mixedKey(), 'any', /its own public key/],
    ['a key twice', `${OLD} ${OLD}`, 'hmac', /twice/],
    ['too many', manyKeys(11), 'hmac', /more than 10/],
  ] as const)('refuses %s without showing it', (_, keys, kind, words) => {
    const fault = keysFault(keys, kind);
    expect(fault).toMatch(words);
    expect(fault).not.toContain(keys.slice(7, 30));
  });
});

function mixedKey(): string {
  const other = Buffer.from(publicKeyOf(ed25519KeyOf(Buffer.alloc(32, 9))).slice(5), 'base64');
  return `whsk_${Buffer.concat([SEED, other]).toString('base64')}`;
}

function manyKeys(count: number): string {
  return Array.from({ length: count }, (_, i) => hmacSecretOf(Buffer.alloc(32, i))).join(' ');
}
