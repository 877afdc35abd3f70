import { Injectable } from '@nestjs/common';
import { OrganizationsService, PrincipalsService } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { longTurn } from '../common/long-work.js';
import type { DataOwner, DataRemoval, OwnedData } from '../common/owned-data.js';
import { Database } from '../database/database.js';
import type { DataJob } from './data-job.js';
import { OwnedKinds } from './owned-kinds.js';
import type { Progress } from './progress.js';

/** How often all kinds are gone through while something is left: what was under way may write a last time. */
const PASSES = 20;
const PAUSE_MS = 1000;
/** Until every process refuses a principal that was disabled in this one. */
const KNOWN_EVERYWHERE_MS = 2500;

/** Says that something was done, `isNoted`: and stores it before it resolves; rejects when the job is not to go on. */
export type Renew = (isNoted?: boolean) => Promise<void>;

/**
 * Deletes all data of an owner. Every step may be done again, so that a process which is ended in any moment leaves nothing
 * that the next one does not finish.
 */
@Injectable()
export class DataDeletion {
  constructor(
    private readonly kinds: OwnedKinds,
    private readonly organizations: OrganizationsService,
    private readonly principals: PrincipalsService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** What is left after all passes, by kind; nothing when all is gone. */
  async run(
    { owner, blocks, isMappingOnly }: DataJob,
    progress: Progress,
    renew: Renew,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>> {
    const kinds = this.kinds.those(isMappingOnly);
    let left = new Map<string, number>();
    for (let pass = 0; pass < PASSES; pass++) {
      if (pass > 0) await this.clock.sleep(PAUSE_MS, signal);
      const removal = { now: this.clock.now(), blocks };
      for (const kind of pass === 0 ? kinds : []) {
        if (!kind.endsWithOwner) continue;
        progress.found(kind.kind, await this.kinds.count(kind, owner));
      }
      await this.shut(owner, renew);
      for (const kind of isMappingOnly ? [] : kinds) {
        await renew();
        await kind.end?.(owner, removal, signal);
      }
      if (pass === 0) await this.count(kinds, owner, progress, renew);
      for (const kind of kinds) await this.delete(kind, owner, removal, progress, renew);
      left = await this.left(kinds, owner, renew);
      if (left.size === 0) break;
    }
    return left;
  }

  /** Nothing new is made by those who are let in no more. */
  private async shut(owner: DataOwner, renew: Renew): Promise<void> {
    await renew();
    // No one new comes in, with a key or a sign-in.
    if ('organization' in owner) await this.organizations.shut(owner.organization);
    let isNew = false;
    for await (const { id, isShut } of this.kinds.principalsOf(owner)) {
      // Those that are disabled, too: nobody but an operator enables them from now on.
      const isThere = await this.principals.shut(id);
      isNew ||= isThere && !isShut;
      await renew();
    }
    if (isNew && !this.database.soleProcess) await this.clock.sleep(KNOWN_EVERYWHERE_MS);
  }

  /** What is known before anything is deleted tells what was, to the last piece, whenever the process ends. */
  private async count(
    kinds: readonly OwnedData[],
    owner: DataOwner,
    progress: Progress,
    renew: Renew,
  ): Promise<void> {
    for (const kind of kinds) {
      progress.found(kind.kind, await this.kinds.count(kind, owner));
      await renew();
    }
    await renew(true);
  }

  private async delete(
    kind: OwnedData,
    owner: DataOwner,
    removal: DataRemoval,
    progress: Progress,
    renew: Renew,
  ): Promise<void> {
    for await (const each of this.kinds.ownersFor(kind, owner)) {
      for (let deleted = -1; deleted !== 0;) {
        await longTurn();
        deleted = await kind.delete(each, removal);
        progress.done(kind.kind, deleted);
        await renew();
      }
    }
  }

  private async left(
    kinds: readonly OwnedData[],
    owner: DataOwner,
    renew: Renew,
  ): Promise<Map<string, number>> {
    const left = new Map<string, number>();
    for (const kind of kinds) {
      const count = await this.kinds.count(kind, owner);
      if (count > 0) left.set(kind.kind, count);
      await renew();
    }
    return left;
  }
}
