import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AgentRegistry } from '../../agents/index.js';
import { SystemClock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import type { Page } from '../../common/page.js';
import type { PassedRule } from '../domain/route.js';
import type { CompositeSource } from '../composite-source.js';
import { aQuestion, aRule } from './domain/fake-rules.js';
import type { Rule } from './domain/rule.js';
import { RuleRegistry } from './rule-registry.js';
import { RuleStore, type RuleVersion } from './rule-store.js';

const NO_COMPOSITES: CompositeSource = { usable: () => [], prepare: () => undefined };

/** The rules as another process would change them. */
class SharedRules extends RuleStore {
  rules: readonly Rule[] = [];
  reads = 0;
  trouble: Error | undefined;
  private raised = 0;

  put(...rules: Rule[]): void {
    this.rules = rules;
    this.raised++;
  }

  all(): Promise<Rule[]> {
    this.reads++;
    return Promise.resolve([...this.rules]);
  }

  change(change: (rules: readonly Rule[]) => readonly Rule[]): Promise<readonly Rule[]> {
    this.put(...change(this.rules));
    return Promise.resolve(this.rules);
  }

  keepDeclared(declared: readonly Rule[]): Promise<readonly Rule[]> {
    return Promise.resolve(declared);
  }

  version(): Promise<RuleVersion | undefined> {
    return Promise.resolve(undefined);
  }

  versions(): Promise<Page<RuleVersion>> {
    return Promise.resolve({ items: [], nextCursor: null });
  }

  revision(): Promise<number> {
    return this.trouble ? Promise.reject(this.trouble) : Promise.resolve(this.raised);
  }
}

let store: SharedRules;
let registry: RuleRegistry;
let warned: string[];

const nothing = (): void => undefined;
const log: Log = {
  debug: nothing,
  info: nothing,
  warn: (_, message) => warned.push(message),
  error: nothing,
};

beforeEach(async () => {
  jest.useFakeTimers();
  store = new SharedRules();
  warned = [];
  const agents = Object.assign(Object.create(AgentRegistry.prototype) as AgentRegistry, {
    usable: () => [],
  });
  registry = new RuleRegistry(store, agents, NO_COMPOSITES, new SystemClock(), log);
  await registry.onModuleInit();
});

afterEach(() => {
  registry.onModuleDestroy();
  jest.useRealTimers();
});

const decides = (): string | undefined => registry.decide(aQuestion())?.rule.id;
const second = (): Promise<void> => jest.advanceTimersByTimeAsync(1000);

describe('the rules in memory', () => {
  it("follow another process's changes within a second, and read nothing in between", async () => {
    expect(decides()).toBeUndefined();
    store.put(aRule('a'));
    await second();
    expect(decides()).toBe('a');
    const { reads } = store;
    await second();
    await second();
    expect(store.reads).toBe(reads);
    store.put(aRule('b'), aRule('a'));
    await second();
    expect(decides()).toBe('b');
  });

  it('stay as they are while the database does not answer', async () => {
    store.put(aRule('a'));
    await second();
    store.trouble = new Error('gone');
    store.put(aRule('b'));
    await second();
    expect(decides()).toBe('a');
    expect(warned).toEqual(['rules could not be read; the cached ones stay in use']);
    store.trouble = undefined;
    await second();
    expect(decides()).toBe('b');
  });

  it('begin with the declared ones, which replace those of their id', async () => {
    store.put(aRule('a'), aRule('b'));
    await second();
    registry.declare([aRule('c', { source: 'config' }), aRule('b', { source: 'config' })]);
    expect(registry.all().map(({ id, source }) => [id, source])).toEqual([
      ['c', 'config'],
      ['b', 'config'],
      ['a', 'api'],
    ]);
    expect(warned).toEqual(['declared rules replace rules of the API that have the same id']);
    registry.declare([]);
    expect(registry.all().map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('are passed over, with the reason, where they find no agent', () => {
    registry.declare([
      aRule('agent', { target: { agentId: 'x' } }),
      aRule('skill', { target: { skillId: 'x.y' } }),
      aRule('tags', { target: { tags: ['t', 'u'] } }),
      aRule('plan', { target: { composite: 'c' } }),
      aRule('end'),
    ]);
    const passed: (PassedRule & { to: object })[] = [];
    const decision = registry.decide(
      aQuestion({ passOver: ({ rule, to }) => passed.push({ ...rule, to }) }),
    );
    expect(decision).toMatchObject({ rule: { id: 'end' }, target: { reject: 'No.' } });
    expect(passed.map(({ why }) => why)).toEqual([
      'Rule "agent" (no. 1) applies, but no agent "x" is available.',
      'Rule "skill" (no. 2) applies, but no available agent offers the skill "x.y".',
      'Rule "tags" (no. 3) applies, but no available skill carries all of the tags t, u.',
      'Rule "plan" (no. 4) applies, but no composite skill "c" is available.',
    ]);
    expect(passed.map(({ to }) => to)).toEqual([
      { agentId: 'x' },
      { skillId: 'x.y' },
      { tags: ['t', 'u'] },
      { skillId: 'composite.c' },
    ]);
  });
});
