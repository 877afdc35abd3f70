/**
 * - `endpoint.failing`: its delivery streams wait but for one that tries, or a delivery was given up;
 * - `endpoint.disabled`: nothing but failures for `push.disableAfter`; its webhooks are disabled;
 * - `endpoint.recovered`: it accepts what it gets again;
 * - `webhook.disabled`: one webhook is disabled, by a 410 or by failures of its own.
 */
export const PUSH_EVENT_TYPES = [
  'endpoint.failing',
  'endpoint.disabled',
  'endpoint.recovered',
  'webhook.disabled',
] as const;
export type PushEventType = (typeof PUSH_EVENT_TYPES)[number];

/** An event of an endpoint or a webhook; written in the transaction of the change itself. */
export interface PushEvent {
  /** 1, 2, 3 … over the whole hub, in the order of the commits. */
  readonly id: number;
  readonly at: Date;
  readonly type: PushEventType;
  readonly organization: string;
  /** Whose webhook it is; null when it is of a whole endpoint. */
  readonly principalId: string | null;
  /** Organization and origin. */
  readonly endpoint: string;
  /** Of the webhook, for `webhook.disabled`. */
  readonly taskId: string | null;
  readonly configId: string | null;
  /** For people; never holds a secret. */
  readonly reason: string | null;
  /** Since when nothing but failures came; null where that is not said. */
  readonly since: Date | null;
}

export type PushEventDraft = Omit<PushEvent, 'id'>;
