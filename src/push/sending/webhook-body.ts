import type { Payload } from '../../protocol/build.js';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import { A2A_CONTENT_TYPE, StreamResponse, type Task } from '../../protocol/a2a.js';
import type { ProtocolVersion } from '../../protocol/protocol-version.js';
import { leastBytes } from './domain/least-bytes.js';
import { type TaskReference, truncatedPayload } from './domain/truncated-payload.js';

/** The bytes of a webhook request. */
export interface WebhookBody {
  readonly body: string;
  readonly contentType: string;
}

export interface BodyLimits {
  /** Above it the payload is truncated. */
  readonly maxBytes: number;
  /** The hub's public address, for the reference in a truncated payload; null when it is not known. */
  readonly publicUrl: string | null;
}

/** What happened cannot be said in the webhook's protocol version. */
export class UnrenderableError extends Error {
  override readonly name = 'UnrenderableError';
}

const legacy = new V03PushNotificationSerializer();

/**
 * The body for what happened, in the version the webhook was registered with (webhooks.md, "body"):
 * 1.0 gets a StreamResponse, 0.x the Task. What cannot fit is not written out just to find out: it is large
 * tasks that cannot.
 */
export function webhookBody(
  version: ProtocolVersion,
  payload: Payload,
  limits: BodyLimits,
): WebhookBody {
  let bytes = leastBytes(payload);
  if (bytes <= limits.maxBytes) {
    const whole = serialize(version, payload);
    bytes = Buffer.byteLength(whole.body);
    if (bytes <= limits.maxBytes) return whole;
  }
  return truncatedBody(version, payload, bytes, limits);
}

/** The same in 1.0 of what is 1.0 wire JSON already: it is parsed only when it is too large. */
export function wireBody(
  wire: string,
  payload: () => Payload | Promise<Payload>,
  limits: BodyLimits,
): WebhookBody | Promise<WebhookBody> {
  const bytes = Buffer.byteLength(wire);
  if (bytes <= limits.maxBytes) return { body: wire, contentType: A2A_CONTENT_TYPE };
  const read = payload();
  const truncated = (whole: Payload): WebhookBody => truncatedBody('1.0', whole, bytes, limits);
  return read instanceof Promise ? read.then(truncated) : truncated(read);
}

function truncatedBody(
  version: ProtocolVersion,
  payload: Payload,
  bytes: number,
  limits: BodyLimits,
): WebhookBody {
  const mark = { thin: true as const, bytes, ...referenceTo(version, payload, limits.publicUrl) };
  const truncated = serialize(version, truncatedPayload(payload, mark));
  if (Buffer.byteLength(truncated.body) <= limits.maxBytes) return truncated;
  return serialize(version, truncatedPayload(payload, mark, true));
}

/** A task as a payload. */
export function taskPayload(task: Task): Payload {
  return { $case: 'task', value: task };
}

function serialize(version: ProtocolVersion, payload: Payload): WebhookBody {
  if (version === '1.0') {
    const body = JSON.stringify(StreamResponse.toJSON({ payload }));
    return { body, contentType: A2A_CONTENT_TYPE };
  }
  try {
    return legacy.serialize({ payload });
  } catch (error) {
    throw new UnrenderableError('The task has no form in A2A 0.3', { cause: error });
  }
}

function referenceTo(
  version: ProtocolVersion,
  payload: Payload,
  publicUrl: string | null,
): { getTask?: TaskReference } {
  if (publicUrl === null) return {};
  const id = payload.$case === 'task' ? payload.value.id : payload.value.taskId;
  const method = version === '1.0' ? 'GetTask' : 'tasks/get';
  return { getTask: { url: `${publicUrl.replace(/\/$/, '')}/a2a`, method, id } };
}
