import { Inject, Injectable } from '@nestjs/common';
import { Log } from '../../common/logger.js';
import type { AuthProfile } from './auth-profile.js';
import { MAX_PROFILES } from './auth-profile-store.js';
import { certificateFacts } from './domain/client-certificate.js';

const DAY_MS = 86_400_000;

/** Warns in the log, once a day for each profile in use, of certificates that end soon or have ended. */
@Injectable()
export class CertificateWatch {
  private readonly lookedAt = new Map<string, number>();

  constructor(@Inject(Log) private readonly log: Pick<Log, 'warn'>) {}

  used({ id, version, name, organization, parameters }: AuthProfile, now: Date): void {
    const key = `${id} ${version}`;
    const last = this.lookedAt.get(key);
    if (last !== undefined && now.getTime() - last < DAY_MS) return;
    if (this.lookedAt.size >= MAX_PROFILES) this.lookedAt.clear();
    this.lookedAt.set(key, now.getTime());
    const facts = certificateFacts(parameters.certificate ?? '', now);
    if (facts === undefined || facts.state === 'valid') return;
    this.log.warn(
      { profile: name, organization, state: facts.state, notAfter: facts.notAfter },
      `the client certificate of an auth profile is ${facts.state.replaceAll('-', ' ')}`,
    );
  }
}
