import { createHmac } from 'node:crypto';
import type { Egress } from '../../common/egress/egress.js';
import { discard } from '../../common/egress/read-body.js';
import type { Clock } from '../../common/clock.js';
import type { AuditExport, ExportBatch, ExportSender } from './audit-export.js';
import { linesOf } from './entry-line.js';
import { acknowledged } from './http-answer.js';

/** Sends entries as NDJSON, signed as Standard Webhooks are; a batch that is sent again has the same id. */
export class WebhookSender implements ExportSender {
  constructor(
    private readonly to: AuditExport,
    private readonly egress: Pick<Egress, 'request'>,
    private readonly clock: Clock,
  ) {}

  async send({ chain, first, last, events }: ExportBatch, signal: AbortSignal): Promise<undefined> {
    const { url, secret, authorization, ca, timeoutMs } = this.to;
    const body = Buffer.from(linesOf(events));
    const id = `audit-${chain}-${first}-${last}`;
    const timestamp = String(Math.floor(this.clock.now().getTime() / 1000));
    const answer = await this.egress.request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        ...(secret !== null && {
          'webhook-signature': `v1,${signatureOf(secret, id, timestamp, body)}`,
        }),
        ...(authorization !== null && { authorization }),
      },
      ...{ body, signal, headersTimeoutMs: timeoutMs, connectTimeoutMs: timeoutMs },
      ...(ca !== null && { ca }),
    });
    // The status is the acknowledgement; what else it says is of no interest.
    discard(answer.body);
    acknowledged(answer);
  }
}

function signatureOf(secret: Buffer, id: string, timestamp: string, body: Buffer): string {
  return createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64');
}
