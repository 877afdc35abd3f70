import { hash } from 'node:crypto';
import { canonicalJson } from '../../common/canonical-json.js';
import { Message, Part } from '../../protocol/a2a.js';
import type { HubRequest } from '../../routing/index.js';
import type { IdempotencyKey } from '../task.js';

/** How long a client's `Idempotency-Key` holds. */
const KEY_TTL_MS = 24 * 60 * 60 * 1000;

/**
 * What keeps a repeated send from running twice. A client's key holds for 24 hours; without one an
 * identical request with the same message id joins its task while that is still open (real clients
 * use message ids again later, so then it is a new task). Null when there is nothing to compare.
 */
export function idempotencyOf(request: HubRequest, now: Date): IdempotencyKey | null {
  const given = givenKeyOf(request, now);
  if (given !== null || request.message.messageId === '') return given;
  const fingerprint = fingerprintOf(request);
  return { key: `message:${fingerprint}`, fingerprint, expiresAt: null };
}

/** What the client's own key is known by (the header's, else the directive's). */
export function givenKey({ idempotencyKey }: HubRequest): string | undefined {
  return idempotencyKey === undefined ? undefined : `key:${idempotencyKey}`;
}

/** The client's own key; null without one. */
export function givenKeyOf(request: HubRequest, now: Date): IdempotencyKey | null {
  const key = givenKey(request);
  if (key === undefined) return null;
  return {
    key,
    fingerprint: fingerprintOf(request),
    expiresAt: new Date(now.getTime() + KEY_TTL_MS),
  };
}

/**
 * Whether two messages say the same: their parts and metadata as JSON values, in which the order of
 * members means nothing.
 */
export function sameContent(a: Message, b: Message): boolean {
  return contentOf(a) === contentOf(b);
}

function contentOf({ parts, metadata }: Message): string {
  return canonicalJson([parts.map((part) => Part.toJSON(part)), metadata ?? {}]);
}

/**
 * A hash of all that the agents would be given, whatever the order of members in it (what comes over
 * gRPC has none). How the client waits is no part of it.
 */
function fingerprintOf(request: HubRequest): string {
  const content = [
    Message.toJSON(request.message),
    request.metadata ?? null,
    request.agentId ?? null,
    request.configuration?.acceptedOutputModes ?? [],
    request.extensions,
  ];
  return hash('sha256', canonicalJson(content), 'base64url');
}
