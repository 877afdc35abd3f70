import { describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import type { Log } from '../../common/logger.js';
import { configWith } from '../../config/index.js';
import type { CompositeSkill } from '../domain/composite-skill.js';
import { CompositeRegistry } from './composite-registry.js';
import type { CompositeStore } from './composite-store.js';
import type { Composite } from './domain/composite.js';
import type { Principal } from '../../auth/index.js';

const NOW = new Date(1_700_000_000_000);

const composite = (id: string, changes: Partial<Composite> = {}): Composite => ({
  id,
  version: 1,
  name: id,
  description: id,
  tags: [],
  examples: [],
  inputModes: [],
  outputModes: [],
  organizations: null,
  enabled: true,
  deadlineSeconds: null,
  maxCalls: null,
  steps: [{ name: 'only', agentId: 'a' }],
  source: 'api',
  createdAt: NOW,
  updatedAt: NOW,
  ...changes,
});

/** A registry over a list that a test may change as another process would. */
function start(first: readonly Composite[]) {
  const stored = { revision: 1, composites: first, isDown: false };
  const looks: (() => void)[] = [];
  const store: Pick<CompositeStore, 'all' | 'revision'> = {
    all: async () => [...stored.composites],
    revision: async () => {
      if (stored.isDown) throw new Error('the database is gone');
      return stored.revision;
    },
  };
  class ManualClock extends SettableClock {
    override sleep(): Promise<void> {
      return new Promise((resolve) => looks.push(resolve));
    }
  }
  const warnings: unknown[] = [];
  const nothing = (): void => undefined;
  const log: Log = {
    debug: nothing,
    info: nothing,
    warn: (fields: unknown) => warnings.push(fields),
    error: nothing,
  };
  const config = configWith({ tasks: { maxCalls: 42 } });
  const registry = new CompositeRegistry(
    store as CompositeStore,
    config,
    new ManualClock(NOW.getTime()),
    log,
    {
      rulesFor: () => null,
      refuseOperation: () => undefined,
    },
  );
  /** Lets the second pass after which it looks for changes, and the look itself. */
  const look = async (): Promise<void> => {
    const waiting = looks.length;
    looks.at(-1)?.();
    while (looks.length === waiting) await new Promise((resolve) => setImmediate(resolve));
  };
  return { registry, stored, look, warnings };
}

const of = (organization: string): Principal => ({ id: 'p', organization, scopes: new Set() });
const idsOf = (skills: readonly CompositeSkill[]): string[] => skills.map(({ skill }) => skill.id);

describe('CompositeRegistry', () => {
  it('gives everybody what is enabled and open to all, and an organization its own as well', async () => {
    const { registry } = start([
      composite('acme', { organizations: ['acme'] }),
      composite('off', { enabled: false }),
      composite('open'),
    ]);
    await registry.onModuleInit();
    expect(idsOf(registry.usable(of('others')))).toEqual(['open']);
    expect(idsOf(registry.usable(of('')))).toEqual(['open']);
    expect(idsOf(registry.usable(of('acme')))).toEqual(['acme', 'open']);
    expect(registry.composites().map(({ id }) => id)).toEqual(['acme', 'off', 'open']);
    registry.onModuleDestroy();
  });

  it('gives the same lists until something changes, and then the same skills but the changed', async () => {
    const { registry, stored, look } = start([
      composite('one', { organizations: ['acme'] }),
      composite('two'),
    ]);
    await registry.onModuleInit();
    const acme = of('acme');
    const before = registry.usable(acme);
    await look();
    expect(registry.usable(acme)).toBe(before);
    expect(registry.usable(of('x'))).toBe(registry.usable(of('y')));

    stored.composites = [
      composite('one', { organizations: ['acme'], version: 2 }),
      composite('two'),
    ];
    stored.revision = 2;
    await look();
    const after = registry.usable(acme);
    expect(after.map(({ version }) => version)).toEqual([2, 1]);
    expect(after[1]).toBe(before[1]);
    registry.onModuleDestroy();
  });

  it('stays with what it knows while the database is gone', async () => {
    const { registry, stored, look, warnings } = start([composite('one')]);
    await registry.onModuleInit();
    stored.isDown = true;
    await look();
    expect(idsOf(registry.usable(of('')))).toEqual(['one']);
    expect(warnings).toHaveLength(1);
    stored.isDown = false;
    stored.composites = [];
    stored.revision = 2;
    await look();
    expect(registry.usable(of(''))).toEqual([]);
    registry.onModuleDestroy();
  });

  it('allows as many calls as the setting where a composite skill says nothing', async () => {
    const { registry } = start([composite('own', { maxCalls: 7 }), composite('silent')]);
    await registry.onModuleInit();
    expect(registry.usable(of('')).map(({ maxCalls }) => maxCalls)).toEqual([7, 42]);
    registry.onModuleDestroy();
  });
});
