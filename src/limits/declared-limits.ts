import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig, ConfigChanges, type DeclaredEntry, readDeclared } from '../config/index.js';
import { faultsOfLimit, type Limit, subjectKey } from './domain/limit.js';
import { faultsOfUnit } from './domain/price.js';
import { DeclaredLimitDto } from './limit.dto.js';
import { LimitRegistry } from './limit-registry.js';
import { LimitSubjects } from './limit-subjects.js';
import { definitionOf } from './limits.service.js';
import { readDeclaredPrices } from './price-registry.js';

/** Hands the limits that the configuration declares to the registry, at start and whenever its file changes. */
@Injectable()
export class DeclaredLimits implements OnModuleInit {
  constructor(
    private readonly config: AppConfig,
    private readonly changes: ConfigChanges,
    private readonly registry: LimitRegistry,
    private readonly subjects: LimitSubjects,
  ) {}

  async onModuleInit(): Promise<void> {
    this.registry.declare(
      await readDeclaredLimits(this.config.limits.declared, this.config.limits.prices),
    );
    this.changes.subscribe(async ({ limits }) => {
      const declared = await readDeclaredLimits(limits.declared, limits.prices);
      const prices = await readDeclaredPrices(limits.prices);
      return async () => {
        this.registry.declare(declared);
        await this.subjects.warn(declared);
        this.subjects.warnOfPrices(prices);
      };
    });
  }
}

/** The limits that the configuration declares; throws `ConfigError` with all that is wrong. */
export function readDeclaredLimits(
  written: readonly DeclaredEntry[],
  prices: readonly DeclaredEntry[],
): Promise<readonly Limit[]> {
  const priced = prices.map(({ unit }) => unit);
  return readDeclared(
    'limits.declared',
    written,
    DeclaredLimitDto,
    (dto, before: readonly Limit[]) => {
      const definition = definitionOf(dto);
      const faults = [...faultsOfLimit(definition), ...faultsOfUnit(dto.budget?.unit, priced)];
      if (before.some(({ id }) => id === dto.id)) {
        faults.push({ field: 'id', description: 'is the id of a limit before it' });
      }
      const other = before.find((each) => subjectKey(each) === subjectKey(definition));
      if (other)
        faults.push({ field: 'id', description: `is for the same subject as ${other.id}` });
      const entry: Limit = {
        ...definition,
        id: dto.id,
        source: 'config',
        createdAt: null,
        updatedAt: null,
      };
      return { entry, faults };
    },
  );
}
