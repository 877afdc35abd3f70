import { Inject, Injectable } from '@nestjs/common';
import { certificateFacts } from './client-certificate.js';
import { DAY_MS } from './clock.js';
import { evictOldest } from './evict-oldest.js';
import { Log } from './logger.js';

/** Certificates that are remembered. */
const MOST = 1000;

/** A client certificate that is about to be shown. */
export interface UsedCertificate {
  /** The same for the same certificate of the same owner. */
  readonly key: string;
  /** PEM. */
  readonly certificate: string;
  /** Whose it is, for the line of the log. */
  readonly owner: object;
  /** `an auth profile`. */
  readonly of: string;
}

/** Warns in the log, once a day for each in use, of client certificates that end soon or have ended. */
@Injectable()
export class CertificateWatch {
  private readonly lookedAt = new Map<string, number>();

  constructor(@Inject(Log) private readonly log: Pick<Log, 'warn'>) {}

  used({ key, certificate, owner, of }: UsedCertificate, now: Date): void {
    const last = this.lookedAt.get(key);
    if (last !== undefined && Math.abs(now.getTime() - last) < DAY_MS) return;
    evictOldest(this.lookedAt, MOST);
    this.lookedAt.set(key, now.getTime());
    const facts = certificateFacts(certificate, now);
    if (facts === undefined || facts.state === 'valid') return;
    this.log.warn(
      { ...owner, state: facts.state, notAfter: facts.notAfter },
      `the client certificate of ${of} is ${facts.state.replaceAll('-', ' ')}`,
    );
  }
}
