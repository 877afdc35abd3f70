import { WebhookVerificationError } from './errors.js';
import { byApiKey, byBasic, byBearer, byEd25519, byHmac, byJwt, byToken } from './proofs.js';

const DEFAULT_TOLERANCE_SECONDS = 300;
/** Where the hub says of a body that it is shortened, or a test. */
const MARK = 'urn:a2a-hub:push:v1';
/** Headers that must not be there twice: Node joins or drops what is repeated, others may not. */
const SINGLE = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'authorization'];

/**
 * Makes a function that verifies requests: see index.d.ts for what it promises. Throws TypeError when
 * nothing is to be verified, or when a secret is not of its form.
 */
export function createVerifier(options) {
  const { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = () => new Date() } = options;
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds is a number, 0 or more.');
  const checks = checksOf(options, now);
  if (checks.length === 0) {
    throw new TypeError(
      'Nothing would be verified: give secrets, publicKeys, jwt, bearer, basic, apiKey or token.',
    );
  }
  return async function verifyWebhook(request) {
    const headers = headersOf(request.headers);
    const body = bytesOf(request.body);
    const id = needed(headers, 'webhook-id');
    const timestamp = timestampOf(headers, toleranceSeconds, now);
    for (const check of checks) await check({ headers, body });
    return deliveryOf(headers, parse(body), { id, timestamp });
  };
}

/** A verified request, in the words of index.d.ts. */
function deliveryOf(headers, event, { id, timestamp }) {
  const { taskId, mark } = toldBy(event);
  const subscriptionId = headers['a2a-hub-subscription'];
  return {
    id,
    timestamp,
    taskId,
    stream: subscriptionId === undefined ? taskId : `${subscriptionId}/${taskId}`,
    sequence: countOf(headers, 'a2a-hub-sequence'),
    deliveryNumber: countOf(headers, 'a2a-hub-delivery-number'),
    attempt: countOf(headers, 'a2a-hub-attempt'),
    gap: countOf(headers, 'a2a-hub-gap'),
    subscriptionId,
    // Both: the header alone is not signed, and the mark alone could be an agent's.
    isTest: headers['a2a-hub-test'] === 'true' && mark.test === true,
    isThin: mark.thin === true,
    version: headers['a2a-version'],
    event,
  };
}

function checksOf(options, now) {
  const { secrets, publicKeys, jwt, bearer, basic, apiKey, token } = options;
  return [
    ...(secrets !== undefined ? [byHmac(listOf(secrets))] : []),
    ...(publicKeys !== undefined ? [byEd25519(listOf(publicKeys))] : []),
    ...(jwt !== undefined ? [byJwt(jwt, now)] : []),
    ...(bearer !== undefined ? [byBearer(listOf(bearer))] : []),
    ...(basic !== undefined ? [byBasic(listOf(basic))] : []),
    ...(apiKey !== undefined ? [byApiKey({ ...apiKey, keys: listOf(apiKey.keys) })] : []),
    ...(token !== undefined ? [byToken(listOf(token))] : []),
  ];
}

/** One or many; never none, and no empty text, which everybody could send. */
function listOf(value) {
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0 || !list.every((each) => typeof each === 'string' && each !== '')) {
    throw new TypeError('Secrets are texts that are not empty, one or a list of them.');
  }
  return list;
}

/** By name in lower case, from an object as Node gives it or from `Headers`. */
function headersOf(given) {
  const pairs =
    typeof given?.entries === 'function' ? given.entries() : Object.entries(given ?? {});
  const headers = Object.create(null);
  for (const [name, value] of pairs) {
    if (value === undefined) continue;
    const key = name.toLowerCase();
    if (SINGLE.includes(key) && (key in headers || typeof value !== 'string')) {
      throw new WebhookVerificationError('header', `${key} is there more than once.`);
    }
    headers[key] = String(value);
  }
  return headers;
}

function bytesOf(body) {
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  throw new TypeError(
    'body must be the raw body, a Buffer or a text: parsed JSON cannot be verified',
  );
}

function needed(headers, name) {
  const value = headers[name];
  if (!value) throw new WebhookVerificationError('header', `${name} is missing.`);
  return value;
}

function timestampOf(headers, toleranceSeconds, now) {
  const written = needed(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(written)) {
    throw new WebhookVerificationError('header', 'webhook-timestamp is no number of seconds.');
  }
  const seconds = Number(written);
  if (Math.abs(now().getTime() / 1000 - seconds) > toleranceSeconds) {
    throw new WebhookVerificationError(
      'timestamp',
      `webhook-timestamp is more than ${toleranceSeconds} s from now.`,
    );
  }
  return new Date(seconds * 1000);
}

function countOf(headers, name) {
  const value = headers[name];
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function parse(body) {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new WebhookVerificationError('body', 'The body is not JSON.', { cause });
  }
}

/** What the body tells of: 1.0 wraps it in a StreamResponse, 0.x sends the task itself. */
function toldBy(event) {
  const { task, statusUpdate, artifactUpdate, message } = event ?? {};
  const update = statusUpdate ?? artifactUpdate ?? message;
  const taskId = update ? update.taskId : (task ?? event)?.id;
  if (typeof taskId !== 'string' || taskId === '') {
    throw new WebhookVerificationError('body', 'The body tells of no task.');
  }
  return { taskId, mark: (update ?? task ?? event).metadata?.[MARK] ?? {} };
}
