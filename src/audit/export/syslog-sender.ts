import type { Socket } from 'node:net';
import type { Egress } from '../../common/egress/egress.js';
import type { AuditExport, ExportBatch, ExportSender } from './audit-export.js';
import { syslogFrame } from './syslog-form.js';

/**
 * Sends entries as messages of syslog over TLS or TCP. There is no acknowledgement in that protocol: a connection for each batch, which
 * the hub ends, and which the receiver then closes in its turn when it has read it to its end.
 */
export class SyslogSender implements ExportSender {
  constructor(
    private readonly to: AuditExport,
    private readonly egress: Pick<Egress, 'connect'>,
  ) {}

  async send({ events }: ExportBatch, signal: AbortSignal): Promise<undefined> {
    const { url, ca, timeoutMs } = this.to;
    const connectTimeoutMs = timeoutMs;
    const socket = await this.egress.connect(url, {
      ...{ connectTimeoutMs, signal },
      ...(ca !== null && { ca }),
    });
    await delivered(socket, events.map((event) => syslogFrame(event)).join(''), signal);
  }
}

/** Writes it all and ends the connection; resolves when the other side has closed it, too. */
function delivered(socket: Socket, text: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      socket.destroy();
      reject(signal.reason as Error);
    };
    let isWritten = false;
    let isClosedByOther = false;
    socket.on('error', reject);
    socket.once('finish', () => (isWritten = true));
    socket.once('end', () => (isClosedByOther = true));
    socket.once('close', (hadError: boolean) => {
      signal.removeEventListener('abort', abort);
      if (isWritten && isClosedByOther && !hadError) resolve();
      else reject(new Error('the receiver cut the connection'));
    });
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) return abort();
    // What the receiver says is of no interest, but has to be read for its end to be seen.
    socket.resume();
    socket.end(text);
  });
}
