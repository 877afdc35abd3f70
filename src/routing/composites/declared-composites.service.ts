import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { AgentRegistry } from '../../agents/index.js';
import { Clock } from '../../common/clock.js';
import { type FieldViolation, HubError } from '../../common/hub-error.js';
import { adminValidationPipe } from '../../common/http/validation.pipe.js';
import { Log } from '../../common/logger.js';
import {
  AppConfig,
  ConfigChanges,
  ConfigError,
  type DeclaredComposite,
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
    this.declared = await readDeclared(this.config.compositeSkills);
    this.changes.subscribe(async ({ compositeSkills }) => {
      const declared = await readDeclared(compositeSkills);
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
    this.log.warn(fields, 'a declared composite skill asks for what no agent has yet');
  }
}

/** The declared composite skills, by the rules of the API; throws {@link ConfigError} with all that is wrong. */
async function readDeclared(written: readonly DeclaredComposite[]): Promise<NewComposite[]> {
  const problems: FieldViolation[] = [];
  const read: NewComposite[] = [];
  for (const [index, each] of written.entries()) {
    const found = await readOne(each, index);
    if (Array.isArray(found)) problems.push(...found);
    else read.push(found);
  }
  if (problems.length === 0) return read;
  throw new ConfigError(
    problems.map(({ field, description }) => ({ key: field, source: 'file', text: description })),
  );
}

async function readOne(
  written: DeclaredComposite,
  index: number,
): Promise<NewComposite | FieldViolation[]> {
  const at = (violations: readonly FieldViolation[]): FieldViolation[] =>
    violations.map(({ field, description }) => ({
      field: `${KEY}[${index}].${field}`,
      description,
    }));
  try {
    const dto = (await adminValidationPipe().transform(written, {
      type: 'body',
      metatype: CreateCompositeDto,
    })) as CreateCompositeDto;
    const composite: NewComposite = { ...completed(dto), id: dto.id, source: 'config' };
    const problems = checkDefinition(composite);
    return problems.length === 0 ? composite : at(problems);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const { violations, message } = error;
    return at(violations.length > 0 ? violations : [{ field: 'id', description: message }]);
  }
}
