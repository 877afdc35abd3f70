import { Deadline } from '../../src/common/deadline.js';
import type {
  WebhookAnswer,
  WebhookRequest,
  WebhookSender,
} from '../../src/push/sending/webhook-sender.js';

/** Sends one request as an attempt does, which has so much time for all of it. */
export async function sendInTime(
  sender: WebhookSender,
  request: WebhookRequest,
  { timeoutMs }: { readonly timeoutMs: number },
  signal = new AbortController().signal,
): Promise<WebhookAnswer> {
  const deadline = new Deadline(signal, timeoutMs);
  try {
    return await sender.send(request, deadline);
  } finally {
    deadline.end();
  }
}
