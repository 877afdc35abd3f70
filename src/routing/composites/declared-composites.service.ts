import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { AgentRegistry } from '../../agents/index.js';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import {
  AppConfig,
  ConfigChanges,
  type DeclaredEntry,
  readDeclared,
  type ReadEntry,
} from '../../config/index.js';
import { CompositeRegistry } from './composite-registry.js';
import { CompositeStore, type NewComposite } from './composite-store.js';
import { CreateCompositeDto } from './composite.dto.js';
import { completed } from './composites.service.js';
import { checkDefinition } from './domain/check-definition.js';
import { checkTargets } from './domain/check-targets.js';

/** The key of the configuration they stand under. */
const KEY = 'compositeSkills';

/**
 * Keeps the composite skills that the configuration declares in the store, at start and whenever its
 * file changes: adds and changes them, deletes those that are no longer declared. A plan that is wrong in
 * itself is refused with the whole configuration. One that asks for what no agent has is kept, because
 * the agent may come later; its tasks are refused until then.
 */
@Injectable()
export class DeclaredComposites implements OnModuleInit, OnApplicationBootstrap {
  private declared: readonly NewComposite[] = [];

  constructor(
    private readonly config: AppConfig,
    private readonly changes: ConfigChanges,
    private readonly store: CompositeStore,
    private readonly registry: CompositeRegistry,
    private readonly agents: AgentRegistry,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    this.declared = await readDeclaredComposites(this.config.compositeSkills);
    this.changes.subscribe(async ({ compositeSkills }) => {
      const declared = await readDeclaredComposites(compositeSkills);
      return () => this.apply(declared);
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.apply(this.declared);
  }

  private async apply(declared: readonly NewComposite[]): Promise<void> {
    this.declared = declared;
    for (const composite of declared) await this.put(composite);
    await this.registry.renew();
    await this.removeOthers();
    await this.registry.renew();
    for (const composite of declared) this.warnOfMissing(composite);
  }

  private async put(composite: NewComposite): Promise<void> {
    const now = this.clock.now();
    const stored = await this.store.update(
      composite.id,
      (present) => {
        if (present.source === 'api') {
          const fields = { compositeSkill: composite.id };
          this.log.warn(fields, 'a declared composite skill replaces one made by the API');
        }
        return composite;
      },
      now,
    );
    if (stored !== undefined) return;
    try {
      await this.store.add(composite, now);
    } catch (error) {
      // Another process of the same configuration was quicker.
      if (!(error instanceof HubError) || error.reason !== 'CONFLICT') throw error;
    }
  }

  private async removeOthers(): Promise<void> {
    const declared = new Set(this.declared.map(({ id }) => id));
    for (const { id, source } of this.registry.composites()) {
      if (source !== 'config' || declared.has(id)) continue;
      await this.store.remove(id, this.clock.now());
      this.log.info({ compositeSkill: id }, 'composite skill removed: it is no longer declared');
    }
  }

  private warnOfMissing(composite: NewComposite): void {
    const problems = checkTargets(composite, this.agents.all());
    if (problems.length === 0) return;
    const fields = { compositeSkill: composite.id, problems };
    this.log.warn(
      fields,
      'a declared composite skill needs something that no registered agent offers yet',
    );
  }
}

/** By the rules of the API; throws `ConfigError` with all that is wrong. */
/** The declared composite skills, read as the API reads them; throws `ConfigError` with all that is wrong. */
export function readDeclaredComposites(
  written: readonly DeclaredEntry[],
): Promise<readonly NewComposite[]> {
  return readDeclared(KEY, written, CreateCompositeDto, readOne);
}

function readOne(
  dto: CreateCompositeDto,
  before: readonly NewComposite[],
): ReadEntry<NewComposite> {
  const composite: NewComposite = { ...completed(dto), id: dto.id, source: 'config' };
  const isTaken = before.some(({ id }) => id === dto.id);
  const twice = { field: 'id', description: 'is the id of a composite skill before it' };
  return { entry: composite, faults: [...checkDefinition(composite), ...(isTaken ? [twice] : [])] };
}
