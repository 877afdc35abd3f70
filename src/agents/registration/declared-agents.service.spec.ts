import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SystemClock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import type { Log } from '../../common/logger.js';
import {
  ConfigChanges,
  ConfigError,
  ConfigSource,
  configWith,
  type AppConfig,
  type DeclaredEntry,
} from '../../config/index.js';
import type { Agent } from '../agent.js';
import type { RegistrationCheck, CardSource, CheckedCard } from './registration-check.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { AgentStore } from '../registry/agent-store.js';
import { UnreadAgents } from './unread-agents.js';
import { parseCard } from '../card/parse-card.js';
import { WRONG_ID } from '../card/agent-id.js';
import { DeclaredAgents } from './declared-agents.service.js';

const nothing = (): void => undefined;
const refuse = (): never => {
  throw new Error('not part of this test');
};
let logged: string[];
const note = (_: object, text: string): void => void logged.push(text);
const log: Log = { debug: nothing, info: note, warn: note, error: note };

/** Agents in a list; while `isDown`, nothing can be read or written. */
class FakeStore extends AgentStore {
  readonly agents = new Map<string, Agent>();
  isDown = false;
  private changes = 0;

  add(agent: Agent): Promise<void> {
    return this.write(() => void this.agents.set(agent.id, agent));
  }

  update(id: string, change: (agent: Agent) => Agent): Promise<Agent | undefined> {
    return this.write(() => {
      const before = this.agents.get(id);
      if (before) this.agents.set(id, change(before));
      return this.agents.get(id);
    });
  }

  remove(id: string, _now: Date, check?: (agent: Agent) => void): Promise<boolean> {
    return this.write(() => {
      const agent = this.agents.get(id);
      if (agent !== undefined) check?.(agent);
      return this.agents.delete(id);
    });
  }

  get(id: string): Promise<Agent | undefined> {
    return Promise.resolve(this.agents.get(id));
  }

  withPreviousCard(): Promise<never> {
    throw new Error('not used');
  }

  putCredentials(): Promise<never> {
    throw new Error('not used');
  }

  removeCredentials(): Promise<never> {
    throw new Error('not used');
  }

  credentialsOf(): Promise<never> {
    throw new Error('not used');
  }

  all(): Promise<Agent[]> {
    return Promise.resolve([...this.agents.values()]);
  }

  revision(): Promise<number> {
    return Promise.resolve(this.changes);
  }

  purge = (): Promise<number> => Promise.resolve(0);
  list = refuse;

  private async write<T>(change: () => T): Promise<T> {
    await Promise.resolve();
    if (this.isDown) throw new HubError('UNAVAILABLE', 'the database is down');
    this.changes++;
    return change();
  }
}

/** A file that is what the test says; a change is seen once. */
class FakeSource extends ConfigSource {
  readonly file = 'hub.yaml';
  private config: AppConfig | undefined;
  private isNew = false;

  change(config: AppConfig): void {
    [this.config, this.isNew] = [config, true];
  }

  load(): AppConfig {
    this.isNew = false;
    return this.config ?? refuse();
  }

  isChanged(): boolean {
    return this.isNew;
  }
}

const CARD = {
  name: 'Agent',
  description: 'Works',
  version: '1.0.0',
  supportedInterfaces: [
    { url: 'https://a.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
  skills: [],
};
const CHECKED: CheckedCard = {
  card: parseCard(CARD),
  originalCard: JSON.stringify(CARD),
  cardUrl: null,
  endpoint: {
    url: 'https://a.example/a2a',
    protocolBinding: 'JSONRPC',
    protocolVersion: '1.0',
    tenant: '',
  },
  refused: [],
  signature: {
    outcome: 'unsigned',
    keyId: null,
    algorithm: null,
    keySource: null,
    keyThumbprint: null,
    wasVerified: false,
    reason: 'The card is not signed.',
  },
  interfaces: [],
  endpointResolves: true,
};
const declared = (id: string, changes: Partial<DeclaredEntry> = {}): DeclaredEntry => ({
  id,
  card: {},
  ...changes,
});
const configOf = (...agents: DeclaredEntry[]): AppConfig =>
  configWith({ agents: { declared: agents } });

let store: FakeStore;
let source: FakeSource;
/** What the card at an address is, when it is answered at all. */
let cardAt: (source: CardSource) => Promise<CheckedCard>;
let stop: () => void | Promise<void>;

beforeEach(() => {
  jest.useFakeTimers();
  [logged, store, source, stop] = [[], new FakeStore(), new FakeSource(), nothing];
  cardAt = () => Promise.resolve(CHECKED);
});

afterEach(async () => {
  await stop();
  jest.useRealTimers();
});

/** What the audit log was told. */
let recorded: string[];
beforeEach(() => void (recorded = []));

async function start(...agents: DeclaredEntry[]): Promise<void> {
  const clock = new SystemClock();
  const registry = new AgentRegistry(store, clock, log, {
    rulesFor: () => null,
    refuseOperation: () => undefined,
  });
  const changes = new ConfigChanges(configOf(), source, clock, log);
  const checked: Pick<RegistrationCheck, 'examine' | 'reachTokenServer'> = {
    examine: (requested) => cardAt(requested),
    reachTokenServer: () => Promise.resolve(),
  };
  const service = new DeclaredAgents(
    configOf(...agents),
    changes,
    store,
    registry,
    checked as RegistrationCheck,
    clock,
    log,
    new UnreadAgents(),
    {
      record: ({ action, outcome }) => Promise.resolve(`${recorded.push(`${action} ${outcome}`)}`),
    },
  );
  stop = () => {
    service.onModuleDestroy();
    registry.onModuleDestroy();
    return changes.onModuleDestroy();
  };
  await registry.onModuleInit();
  await service.onModuleInit();
  const started = service.onApplicationBootstrap();
  await pass(1000);
  await started;
  changes.onApplicationBootstrap();
}

const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

const stored = (): string[] => [...store.agents.keys()].sort();

describe('the declared agents', () => {
  it('are put in force in the end when the database was down at the change', async () => {
    await start(declared('old'));
    expect(stored()).toEqual(['old']);
    store.isDown = true;
    source.change(configOf(declared('new')));
    await pass(2000);
    expect(stored()).toEqual(['old']);
    expect(logged).toContain('the changed configuration could not be applied; it is retried');
    expect(logged).not.toContain('the configuration file was read again');
    store.isDown = false;
    await pass(3000);
    expect(stored()).toEqual(['new']);
    expect(logged.at(-1)).toBe('the configuration file was read again');
  });

  it('are told to the audit log as they come, change and go', async () => {
    await start(declared('old'), declared('same'));
    expect([...recorded].sort()).toEqual([
      ...['agents.register attempted', 'agents.register attempted'],
      ...['agents.register succeeded', 'agents.register succeeded'],
    ]);
    recorded = [];
    source.change(configOf(declared('same', { tags: ['other'] })));
    await pass(2000);
    expect(recorded).toEqual([
      ...['agents.delete attempted', 'agents.delete succeeded'],
      ...['agents.update attempted', 'agents.update succeeded'],
    ]);
  });

  it('leave one alone that was registered by the API under an id meanwhile', async () => {
    await start(declared('old'));
    const remove = store.remove.bind(store);
    store.remove = async (...args) => {
      store.remove = remove;
      const [id] = args;
      store.agents.set(id, { ...store.agents.get(id)!, source: 'api', createdAt: new Date() });
      return remove(...args);
    };
    await pass(10);
    recorded = [];
    source.change(configOf(declared('new')));
    await pass(2000);
    expect(stored()).toEqual(['new', 'old']);
    expect(recorded).toContain('agents.delete failed');
    expect(logged).not.toContain('agent removed: the configuration no longer declares it');
  });

  it.each([
    ['the same address and organizations', {}, true],
    ['other organizations', { organizations: ['red'] }, false],
    ['another address', { endpoint: { ...CHECKED.endpoint, url: 'https://b.example/' } }, false],
  ])('are the agent that the API registered with %s: %p %p', async (_what, changes, isSame) => {
    await start(declared('one'));
    await stop();
    const createdAt = new Date(0);
    store.agents.set('one', {
      ...store.agents.get('one')!,
      ...{ source: 'api', createdAt, ...changes },
    });
    await start(declared('one'));
    const { createdAt: since, source: by } = store.agents.get('one')!;
    expect([by, since.getTime() === 0]).toEqual(['config', isSame]);
  });

  it('are in force at once while a card of the list before is still being read', async () => {
    let answer: (checked: CheckedCard) => void = nothing;
    cardAt = ({ cardUrl }) =>
      cardUrl === null ? Promise.resolve(CHECKED) : new Promise((resolve) => (answer = resolve));
    await start(declared('slow', { card: null, cardUrl: 'https://slow.example/card' }));
    source.change(configOf(declared('new')));
    await pass(2000);
    expect(stored()).toEqual(['new']);
    expect(logged).toContain('the configuration file was read again');
    answer(CHECKED);
    await pass(0);
    expect(stored()).toEqual(['new']);
  });

  describe('that an operator has disabled', () => {
    const kill = (id: string): Promise<unknown> =>
      store.update(id, (agent) => ({ ...agent, enabled: false, updatedAt: new Date() }));
    const enabled = (id: string): boolean | undefined => store.agents.get(id)?.enabled;

    it('stay so when the file changes', async () => {
      await start(declared('one'));
      await kill('one');
      source.change(configOf(declared('one', { tags: ['other'] }), declared('two')));
      await pass(2000);
      expect(stored()).toEqual(['one', 'two']);
      expect([enabled('one'), store.agents.get('one')?.tags]).toEqual([false, ['other']]);
    });

    it('stay so when their card could be read only after that', async () => {
      await start(declared('one'));
      let answer: (checked: CheckedCard) => void = nothing;
      cardAt = () => new Promise((resolve) => (answer = resolve));
      source.change(configOf(declared('one', { tags: ['other'] })));
      await pass(2000);
      await kill('one');
      answer(CHECKED);
      await pass(0);
      expect([enabled('one'), store.agents.get('one')?.tags]).toEqual([false, ['other']]);
    });

    it('are enabled when the file says so anew', async () => {
      await start(declared('one'));
      source.change(configOf(declared('one', { enabled: false })));
      await pass(2000);
      expect(enabled('one')).toBe(false);
      source.change(configOf(declared('one')));
      await pass(2000);
      expect(enabled('one')).toBe(true);
    });

    it('are enabled by a start, unless they are disabled again before their card is read', async () => {
      await start(declared('one'), declared('two'));
      await Promise.all([kill('one'), kill('two')]);
      await stop();
      cardAt = () => Promise.reject(new HubError('UNAVAILABLE', 'away'));
      await pass(10);
      await start(declared('one'), declared('two'));
      await kill('two');
      cardAt = () => Promise.resolve(CHECKED);
      await pass(120_000);
      expect([enabled('one'), enabled('two')]).toEqual([true, false]);
    });
  });

  it.each(['tasks', 'composite', 'events'])('are refused at start under the id %s', async (id) => {
    const refused = await start(declared('ok'), declared(id)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect((refused as ConfigError).problems).toEqual([
      { key: 'agents.declared[1].id', source: 'file', text: WRONG_ID },
    ]);
  });

  it('change nothing at all when one has an id that is reserved', async () => {
    await start(declared('old'));
    source.change(configOf(declared('new'), declared('tasks')));
    await pass(2000);
    expect(stored()).toEqual(['old']);
    expect(logged.at(-1)).toBe(
      'the changed configuration is invalid; the previous one stays in force',
    );
  });
});
