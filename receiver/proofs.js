import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { WebhookVerificationError } from './errors.js';

/** What stands before the 32 bytes of an ed25519 public key in its DER form (RFC 8410). */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const ED25519_BYTES = 32;
/** Bytes of an HMAC secret that Standard Webhooks allows. */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
/** The algorithm of the hub's tokens; naming it keeps every other one out. */
const JWT_ALGORITHMS = ['ES256'];
/** Clocks of a hub and a receiver differ by no more when a JWT's end is looked at. */
const JWT_TOLERANCE_SECONDS = 60;
/** What `jose` says when the keys could not be read: no fault of the request. */
const KEYS_AWAY = ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'];

/*
 * Each of these makes a check of one request: it is given the headers in lower case and the raw body, and
 * throws {@link WebhookVerificationError} when the proof does not hold. Secrets are read at once, so that a
 * wrong one is found at the start.
 */

/** HMAC-SHA256 of Standard Webhooks (`v1`), with any of the secrets. */
export function byHmac(secrets) {
  const keys = secrets.map(hmacKey);
  return ({ headers, body }) => {
    const content = signedContent(headers, body);
    const given = signaturesOf(headers, 'v1');
    const wanted = keys.map((key) => createHmac('sha256', key).update(content).digest('base64'));
    if (!given.some((each) => wanted.some((one) => isSame(each, one)))) {
      throw new WebhookVerificationError('signature', 'No v1 signature fits.');
    }
  };
}

/** ed25519 of Standard Webhooks (`v1a`), with any of the public keys. */
export function byEd25519(publicKeys) {
  const keys = publicKeys.map(ed25519Key);
  return ({ headers, body }) => {
    const content = signedContent(headers, body);
    const isValid = signaturesOf(headers, 'v1a').some((given) => {
      const signature = Buffer.from(given, 'base64');
      return keys.some((key) => verify(null, content, key, signature));
    });
    if (!isValid) throw new WebhookVerificationError('signature', 'No v1a signature fits.');
  };
}

/**
 * A JWT signed by the hub, for this receiver and this body. Rejects with another error when the hub's keys
 * cannot be read.
 */
export function byJwt({ jwksUrl, issuer, audience, organization, keys }, now) {
  // Without them every token of the hub, for whomever and by whomever it is, would count.
  for (const each of [issuer, audience, organization]) {
    if (typeof each !== 'string' || each === '') {
      throw new TypeError('jwt needs the issuer, the audience and the organization.');
    }
  }
  if (keys === undefined && !jwksUrl) throw new TypeError('jwt needs jwksUrl, or keys.');
  const keySet = keys ?? createRemoteJWKSet(new URL(jwksUrl));
  return async ({ headers, body }) => {
    const token = withoutScheme(headers['authorization'], 'bearer');
    const claims = await jwtVerify(token, keySet, {
      algorithms: JWT_ALGORITHMS,
      issuer,
      audience,
      clockTolerance: JWT_TOLERANCE_SECONDS,
      requiredClaims: ['exp', 'iat', 'jti', 'organization', 'request_body_sha256'],
      currentDate: now(),
    }).then(
      ({ payload }) => payload,
      (cause) => {
        if (!cause?.code?.startsWith?.('ERR_J') || KEYS_AWAY.includes(cause.code)) throw cause;
        throw new WebhookVerificationError('authorization', 'The JWT does not hold.', { cause });
      },
    );
    if (claims['organization'] !== organization) {
      const message = "The JWT is for another organization's webhook.";
      throw new WebhookVerificationError('authorization', message);
    }
    const digest = createHash('sha256').update(body).digest('hex');
    if (!isSame(String(claims['request_body_sha256']), digest)) {
      throw new WebhookVerificationError('authorization', 'The JWT is for another body.');
    }
  };
}

/** `Authorization: Bearer`, with any of the tokens. */
export function byBearer(tokens) {
  return ({ headers }) => {
    const given = withoutScheme(headers['authorization'], 'bearer');
    expectOne(tokens, given, 'authorization', 'The bearer token is another one.');
  };
}

/** `Authorization: Basic`, with any of the `user:password` pairs. */
export function byBasic(pairs) {
  const wanted = pairs.map((pair) => Buffer.from(pair, 'utf8').toString('base64'));
  return ({ headers }) => {
    const given = withoutScheme(headers['authorization'], 'basic');
    expectOne(wanted, given, 'authorization', 'The user or password is another one.');
  };
}

/** A key in a header of its own. */
export function byApiKey({ header = 'x-api-key', keys }) {
  const name = header.toLowerCase();
  return ({ headers }) => {
    expectOne(keys, headers[name] ?? '', 'authorization', `The key in ${header} is another one.`);
  };
}

/** The token of the push notification config. */
export function byToken(tokens) {
  return ({ headers }) => {
    const given = headers['a2a-notification-token'] ?? headers['x-a2a-notification-token'] ?? '';
    expectOne(tokens, given, 'token', 'The notification token is another one.');
  };
}

function expectOne(wanted, given, code, message) {
  // All are compared, so that the time does not tell which one it was.
  const found = wanted.filter((each) => isSame(given, each));
  if (found.length === 0) throw new WebhookVerificationError(code, message);
}

/** Takes the same time whatever the texts have in common. */
function isSame(given, wanted) {
  const digest = (text) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

function withoutScheme(header, scheme) {
  const match = /^(\S+) +(.+)$/.exec(header ?? '');
  if (match?.[1].toLowerCase() !== scheme) {
    throw new WebhookVerificationError('authorization', `There is no Authorization: ${scheme}.`);
  }
  return match[2];
}

/** What is signed: the id, the time of the attempt and the bytes of the body. */
function signedContent(headers, body) {
  const head = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
  return Buffer.concat([Buffer.from(head), body]);
}

function signaturesOf(headers, version) {
  const header = headers['webhook-signature'];
  if (header === undefined) {
    throw new WebhookVerificationError('header', 'webhook-signature is missing.');
  }
  return header
    .split(' ')
    .map((each) => each.split(','))
    .filter(([name, signature]) => name === version && signature)
    .map(([, signature]) => signature);
}

function hmacKey(secret) {
  const bytes = bytesOf(secret, 'whsec_');
  if (bytes.length < MIN_SECRET_BYTES || bytes.length > MAX_SECRET_BYTES) {
    throw new TypeError(
      `A secret holds ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes: whsec_ and their base64.`,
    );
  }
  return bytes;
}

function ed25519Key(publicKey) {
  const bytes = bytesOf(publicKey, 'whpk_');
  if (bytes.length !== ED25519_BYTES) {
    throw new TypeError('A public key holds 32 bytes: whpk_ and their base64.');
  }
  const key = Buffer.concat([ED25519_SPKI, bytes]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

function bytesOf(text, prefix) {
  if (typeof text !== 'string' || !text.startsWith(prefix)) {
    throw new TypeError(`A text that begins with ${prefix} is wanted.`);
  }
  return Buffer.from(text.slice(prefix.length), 'base64');
}
