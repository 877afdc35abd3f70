import { Injectable } from '@nestjs/common';
import { HubSettings } from '../database/hub-settings.js';
import { SigningService } from '../signing/index.js';
import { KEPT } from './domain/kept.js';
import type { DataJob, DataProgress } from './data-job.js';

/** The `typ` of a receipt's signature. */
const TYPE = 'a2a-hub-data-receipt';

/** Signs what has become of an owner's data, with the keys of the hub that are published. */
@Injectable()
export class Receipts {
  constructor(
    private readonly signing: SigningService,
    private readonly settings: HubSettings,
  ) {}

  /** A JWS in compact form (RFC 7515); `sha256`: of the lines that were exported. */
  async sign(job: DataJob, progress: DataProgress, now: Date, sha256?: string): Promise<string> {
    const { id, kind, owner, requestedBy, isMappingOnly, blocks, createdAt, startedAt } = job;
    const isDeletion = kind === 'deletion';
    const counts = Object.fromEntries(
      Object.entries(progress).map(([name, { done }]) => [name, done]),
    );
    const content = {
      hub: await this.settings.instanceId(),
      ...{ job: id, kind, ...owner, requestedBy, requestedAt: createdAt, startedAt, endedAt: now },
      counts,
      ...(isDeletion && { only: isMappingOnly ? 'mapping' : null, blocks, left: 0 }),
      ...(isDeletion && { kept: isMappingOnly ? [...KEPT, MAPPING_KEPT] : KEPT }),
      ...(sha256 !== undefined && { sha256 }),
    };
    const payload = JSON.stringify(content);
    const signer = await this.signing.signer();
    const { protected: header, signature } = await signer.sign(payload, { typ: TYPE });
    return `${header}.${Buffer.from(payload).toString('base64url')}.${signature}`;
  }
}

const MAPPING_KEPT = {
  what: 'tasks, webhooks, usage and the disabled principal',
  why: 'only the mapping of the id to a person was to be deleted',
};
