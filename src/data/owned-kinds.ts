import { Injectable } from '@nestjs/common';
import { AgentData } from '../agents/index.js';
import { AuthData, PrincipalStore } from '../auth/index.js';
import type { DataOwner, OwnedData } from '../common/owned-data.js';
import { LimitData } from '../limits/index.js';
import { ActivityData } from '../observability/activity/activity-data.js';
import { PolicyData } from '../policies/index.js';
import { PushData } from '../push/index.js';
import { TaskData } from '../tasks/index.js';

/** What makes a person of a principal's id. */
const MAPPING = ['keys', 'identities'];
/** Principals read at once. */
const PIECE = 200;

/**
 * Every kind of data of all features, in the order in which they are deleted: what others are found by comes last, and what
 * would go with others uncounted, as webhooks with the tasks that they are set on, comes before them.
 */
@Injectable()
export class OwnedKinds {
  readonly all: readonly OwnedData[];

  constructor(
    tasks: TaskData,
    push: PushData,
    policies: PolicyData,
    limits: LimitData,
    agents: AgentData,
    activity: ActivityData,
    auth: AuthData,
    private readonly principals: PrincipalStore,
  ) {
    this.all = [push, tasks, policies, limits, agents, activity, auth].flatMap(
      ({ kinds }) => kinds,
    );
  }

  those(isMappingOnly: boolean): readonly OwnedData[] {
    return isMappingOnly ? this.all.filter(({ kind }) => MAPPING.includes(kind)) : this.all;
  }

  /** Whom a kind is asked for: the owner, or each principal of it. */
  async *ownersFor({ isOfPrincipals }: OwnedData, owner: DataOwner): AsyncGenerator<DataOwner> {
    if (!isOfPrincipals) yield owner;
    else for await (const { id } of this.principalsOf(owner)) yield { principal: id };
  }

  async count(kind: OwnedData, owner: DataOwner): Promise<number> {
    let count = 0;
    for await (const each of this.ownersFor(kind, owner)) count += await kind.count(each);
    return count;
  }

  /** The owner has something of any kind. */
  async haveAny(owner: DataOwner): Promise<boolean> {
    for (const kind of this.all) {
      for await (const each of this.ownersFor(kind, owner)) {
        for await (const records of kind.records(each)) if (records.length > 0) return true;
      }
    }
    return false;
  }

  /** All of an organization, or the one. */
  async *principalsOf(
    owner: DataOwner,
  ): AsyncGenerator<{ readonly id: string; readonly builtIn: boolean; readonly isShut: boolean }> {
    if ('principal' in owner) {
      const found = await this.principals.get(owner.principal);
      if (found !== undefined) yield { ...found, isShut: found.disabledAt !== null };
      return;
    }
    for (let cursor: string | undefined; ;) {
      const page = await this.principals.list(owner, PIECE, cursor);
      for (const each of page.items) yield { ...each, isShut: each.disabledAt !== null };
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }
}
