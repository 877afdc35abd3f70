import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { issueCursor, readCursor } from '../common/cursor.js';
import { HubError, invalidField, invalidFields } from '../common/hub-error.js';
import { ID } from '../common/id-pattern.js';
import type { Page } from '../common/page.js';
import {
  faultsOfLimit,
  type Limit,
  type LimitDefinition,
  MAX_LIMITS,
  subjectKey,
} from './domain/limit.js';
import { faultsOfUnit } from './domain/price.js';
import { LimitRegistry } from './limit-registry.js';
import { LimitSubjects, type ShownLimit } from './limit-subjects.js';
import { LimitStore } from './limit-store.js';
import { PriceRegistry } from './price-registry.js';

/** A limit as it is written; what is not given is null. */
export type WrittenLimit = {
  readonly [K in keyof LimitDefinition]?: LimitDefinition[K] | undefined;
};

/** The operations on limits. Every change is in {@link LimitRegistry} when its call resolves, or as soon as the database answers again. */
@Injectable()
export class LimitsService {
  constructor(
    private readonly store: LimitStore,
    private readonly registry: LimitRegistry,
    private readonly prices: PriceRegistry,
    private readonly subjects: LimitSubjects,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates or replaces a limit; with `isCreated` it creates one alone. Throws INVALID_PARAMS, and CONFLICT when another one
   * is for the same subject or there is one that is to be created.
   */
  async put(
    id: string,
    written: WrittenLimit,
    isCreated = false,
  ): Promise<{ limit: ShownLimit; isNew: boolean }> {
    if (!ID.test(id)) throw invalidField('id', 'must be 1 to 63 of a-z, 0-9 and -');
    const definition = definitionOf(written);
    const priced = this.prices.list.prices.map(({ unit }) => unit);
    const faults = [...faultsOfLimit(definition), ...faultsOfUnit(definition.budget?.unit, priced)];
    if (faults.length > 0) throw invalidFields(faults);
    this.refuseDeclared(id);
    const key = subjectKey(definition);
    const declared = this.registry
      .all()
      .find((each) => each.source === 'config' && subjectKey(each) === key);
    if (declared) this.refuseDeclared(declared.id);
    const now = this.clock.now();
    const { limit, isNew } = await this.store.put(id, definition, MAX_LIMITS, now, isCreated);
    await this.registry.follow();
    return { limit: await this.subjects.checked(limit), isNew };
  }

  /** Throws NOT_FOUND. */
  async get(id: string): Promise<ShownLimit> {
    return this.shown(this.registry.get(id) ?? unknown(id));
  }

  /** Those of the configuration first, then by id; `cursor` is a `nextCursor` of the same list. */
  async list(limit: number, cursor?: string): Promise<Page<ShownLimit>> {
    const all = this.registry.all();
    const after = cursor === undefined ? '' : readCursor('limits', cursor, (text) => ID.test(text));
    const start = after === '' ? 0 : all.findIndex(({ id }) => id === after) + 1;
    if (after !== '' && start === 0) {
      throw invalidField('cursor', `is of a limit that is gone (${after}); begin again`);
    }
    const items = await this.subjects.shown(all.slice(start, start + limit));
    const last = items.at(-1);
    const isLast = last === undefined || start + items.length === all.length;
    return { items, nextCursor: isLast ? null : issueCursor('limits', last.id) };
  }

  /** Deletes one of the API, also while a declared one stands in its place. Throws NOT_FOUND, and CONFLICT for a declared one. */
  async remove(id: string): Promise<void> {
    const removed = await this.store.remove(id);
    await this.registry.follow();
    if (removed) return;
    this.refuseDeclared(id);
    unknown(id);
  }

  private async shown(limit: Limit): Promise<ShownLimit> {
    const [shown] = await this.subjects.shown([limit]);
    return shown!;
  }

  private refuseDeclared(id: string): void {
    const there = this.registry.get(id);
    if (there?.source !== 'config') return;
    throw new HubError(
      'CONFLICT',
      `The limit ${id} is declared in the configuration (limits.declared); change it there.`,
    );
  }
}

/** What is written, with null for what is not. */
export function definitionOf(written: WrittenLimit): LimitDefinition {
  const { organization = null, principal = null, agent = null, skill = null } = written;
  const {
    openTasks = null,
    tasksPerDay = null,
    tasksPerMonth = null,
    storedBytes = null,
    requestsPerSecond = null,
    budget = null,
  } = written;
  return {
    organization,
    principal,
    agent,
    skill,
    openTasks,
    tasksPerDay,
    tasksPerMonth,
    storedBytes,
    requestsPerSecond,
    budget: budget && { unit: budget.unit, amount: budget.amount, per: budget.per },
  };
}

function unknown(id: string): never {
  throw new HubError('NOT_FOUND', `There is no limit ${id}.`);
}
