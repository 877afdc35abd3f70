import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig, ConfigChanges, type DeclaredEntry, readDeclared } from '../config/index.js';
import { faultsOfPrice, type Price, PriceList } from './domain/price.js';
import { DeclaredPriceDto } from './price.dto.js';

const KEY = 'limits.prices';

/** The prices of the configuration, which are followed while the hub runs. */
@Injectable()
export class PriceRegistry implements OnModuleInit {
  private all = new PriceList([]);

  constructor(
    private readonly config: AppConfig,
    private readonly changes: ConfigChanges,
  ) {}

  async onModuleInit(): Promise<void> {
    this.all = new PriceList(await readDeclaredPrices(this.config.limits.prices));
    this.changes.subscribe(async ({ limits }) => {
      const declared = new PriceList(await readDeclaredPrices(limits.prices));
      return () => void (this.all = declared);
    });
  }

  /** As they are now. */
  get list(): PriceList {
    return this.all;
  }
}

/** The prices that the configuration declares; throws `ConfigError` with all that is wrong. */
export function readDeclaredPrices(written: readonly DeclaredEntry[]): Promise<readonly Price[]> {
  return readDeclared(KEY, written, DeclaredPriceDto, (dto, before: readonly Price[]) => {
    const { agent = null, skill = null, unit, perTask = 0, usage = {} } = dto;
    const entry: Price = { agent, skill, unit, perTask, usage };
    const faults = faultsOfPrice(entry);
    if (before.some((each) => isOfSame(each, entry))) {
      faults.push({
        field: 'unit',
        description: 'has a price for the same agent or skill before it',
      });
    }
    return { entry, faults };
  });
}

function isOfSame(some: Price, other: Price): boolean {
  return some.agent === other.agent && some.skill === other.skill && some.unit === other.unit;
}
