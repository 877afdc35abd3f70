import type { Egress } from '../../common/egress/egress.js';
import { readJson } from '../../common/egress/read-body.js';
import { isRecord } from '../../common/is-record.js';
import type { Log } from '../../common/logger.js';
import { HUB_VERSION } from '../../config/index.js';
import type { AuditExport, ExportBatch, ExportSender } from './audit-export.js';
import type { NotTaken } from './export-store.js';
import { acknowledged } from './http-answer.js';
import { otlpLogs } from './otlp-form.js';

const MAX_ANSWER = 64 * 1024;

/** Sends entries as log records of OTLP over HTTP, in its JSON encoding. */
export class OtlpSender implements ExportSender {
  constructor(
    private readonly to: AuditExport,
    private readonly egress: Pick<Egress, 'request'>,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  async send({ events }: ExportBatch, signal: AbortSignal): Promise<NotTaken | undefined> {
    const { id, url, authorization, ca, timeoutMs } = this.to;
    const answer = await this.egress.request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(authorization !== null && { authorization }),
      },
      body: JSON.stringify(otlpLogs(events, HUB_VERSION)),
      ...{ signal, headersTimeoutMs: timeoutMs, connectTimeoutMs: timeoutMs },
      ...(ca !== null && { ca }),
    });
    const said = await readJson(answer, MAX_ANSWER).catch(() => undefined);
    acknowledged(answer);
    // What a receiver rejects of a request that it accepts must not be sent again (OTLP, partial success).
    const rejected = Math.min(Number(partOf(said)?.['rejectedLogRecords'] ?? 0), events.length);
    if (!Number.isInteger(rejected) || rejected <= 0) return undefined;
    this.log.warn({ export: id, rejected }, 'the receiver of the audit log rejected entries');
    return {
      count: rejected,
      why: `the receiver rejected ${rejected} of ${events.length} entries`,
    };
  }
}

function partOf(said: unknown): Readonly<Record<string, unknown>> | undefined {
  const part = isRecord(said) ? said['partialSuccess'] : undefined;
  return isRecord(part) ? part : undefined;
}
