import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../../agents/index.js';
import { Clock } from '../../common/clock.js';
import { issueCursor, readCursor } from '../../common/cursor.js';
import { type FieldViolation, HubError, invalidFields } from '../../common/hub-error.js';
import { ID } from '../../common/id-pattern.js';
import type { Page } from '../../common/page.js';
import { CompositeRegistry } from './composite-registry.js';
import { CompositeStore, type CompositeVersion } from './composite-store.js';
import { checkDefinition } from './domain/check-definition.js';
import { checkTargets } from './domain/check-targets.js';
import { type Composite, type CompositeDefinition, definitionOf } from './domain/composite.js';
import { refuseOtherThan } from '../../common/http/if-match.js';
import { VersionReads } from '../version-reads.js';

/** The list, as its cursors name it. */
const LIST = 'composites';

/** A composite skill as it is asked for: what is absent has its default. */
export type WrittenComposite = Partial<CompositeDefinition> &
  Pick<CompositeDefinition, 'name' | 'description' | 'steps'>;

/** The definition with the defaults of what is not written. */
export function completed(written: WrittenComposite): CompositeDefinition {
  return {
    name: written.name,
    description: written.description,
    tags: distinct(written.tags),
    examples: written.examples ?? [],
    inputModes: distinct(written.inputModes),
    outputModes: distinct(written.outputModes),
    organizations: written.organizations ? distinct(written.organizations) : null,
    enabled: written.enabled ?? true,
    deadlineSeconds: written.deadlineSeconds ?? null,
    maxCalls: written.maxCalls ?? null,
    steps: written.steps,
  };
}

/** The operations on composite skills. Every change is in {@link CompositeRegistry} when its call resolves, or as soon as the database answers again. */
@Injectable()
export class CompositesService {
  /** Also of deleted composite skills. */
  readonly versions: VersionReads<CompositeVersion>;

  constructor(
    private readonly store: CompositeStore,
    private readonly registry: CompositeRegistry,
    private readonly agents: AgentRegistry,
    private readonly clock: Clock,
  ) {
    this.versions = new VersionReads(store, 'composite skill', 'composite-versions');
  }

  /** Throws HubError INVALID_PARAMS with everything that is wrong, CONFLICT when the id is taken. */
  async create(id: string, written: WrittenComposite): Promise<Composite> {
    const definition = completed(written);
    refuse([...checkDefinition(definition), ...this.missing()(definition)]);
    const added = await this.store.add({ ...definition, id, source: 'api' }, this.clock.now());
    await this.registry.follow();
    return added;
  }

  /** What the steps of composite skills ask for and no agent has now, as a function of many. */
  missing(): (definition: CompositeDefinition) => FieldViolation[] {
    const agents = this.agents.all();
    return (definition) => checkTargets(definition, agents);
  }

  /** Throws HubError NOT_FOUND. */
  async get(id: string): Promise<Composite> {
    return (await this.store.get(id)) ?? notFound(id);
  }

  /** By id; `cursor` is a `nextCursor` of the same list. */
  async list(limit: number, cursor?: string): Promise<Page<Composite>> {
    const after = cursor === undefined ? undefined : readCursor(LIST, cursor, isId);
    const page = await this.store.list(limit, after);
    const { items, nextCursor } = page;
    return { items, nextCursor: nextCursor === null ? null : issueCursor(LIST, nextCursor) };
  }

  /**
   * Replaces the members that are given. The plan is checked against the agents when the patch says
   * something of its steps, of who may use it or that it is enabled; so one whose agent has gone can
   * still be disabled. Throws HubError NOT_FOUND, INVALID_PARAMS with everything that is wrong, CONFLICT
   * for a declared one and when it is at none of the versions `wanted`.
   */
  async patch(
    id: string,
    patch: Partial<CompositeDefinition>,
    wanted: readonly number[] | undefined,
  ): Promise<Composite> {
    const given = Object.entries(patch).filter(([, value]) => value !== undefined);
    const names = new Set(given.map(([name]) => name));
    const asksAgents = names.has('steps') || names.has('organizations') || patch.enabled === true;
    const missing = this.missing();
    const changed = await this.store.update(
      id,
      (present) => {
        refuseDeclared(present);
        refuseOtherThan(wanted, present);
        const next = completed({ ...definitionOf(present), ...Object.fromEntries(given) });
        refuse([...checkDefinition(next), ...(asksAgents ? missing(next) : [])]);
        return { ...next, source: 'api' };
      },
      this.clock.now(),
    );
    await this.registry.follow();
    return changed ?? notFound(id);
  }

  /**
   * Deletes a composite skill: it takes no new task; tasks have their plan with them and go on. Throws
   * HubError NOT_FOUND, and CONFLICT as {@link patch} does.
   */
  async remove(id: string, wanted: readonly number[] | undefined): Promise<void> {
    const removed = await this.store.remove(id, this.clock.now(), (present) => {
      refuseDeclared(present);
      refuseOtherThan(wanted, present);
    });
    if (!removed) notFound(id);
    await this.registry.follow();
  }
}

function refuse(problems: readonly FieldViolation[]): void {
  if (problems.length > 0) throw invalidFields(problems);
}

function refuseDeclared({ id, source }: Composite): void {
  if (source !== 'config') return;
  throw new HubError('CONFLICT', `${id} is declared in the configuration; change it there.`);
}

function notFound(id: string): never {
  throw new HubError('NOT_FOUND', `There is no composite skill ${id}.`);
}

function isId(text: string): boolean {
  return ID.test(text);
}

function distinct(words: readonly string[] = []): string[] {
  return [...new Set(words.map((word) => word.trim()))].filter((word) => word !== '');
}
