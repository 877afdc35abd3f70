import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AgentRegistry } from '../agents/index.js';
import { SystemClock } from '../common/clock.js';
import type { Log } from '../common/logger.js';
import { configWith } from '../config/index.js';
import type { AgentSkill } from '../protocol/a2a.js';
import { textPart } from '../protocol/build.js';
import type { TextMatch } from './domain/text-index.js';
import { ExternalRouter } from './external-router.js';
import { TextRouter } from './text-router.js';
import type { IndexedAgent } from './text-view.js';
import type { Principal } from '../auth/index.js';

type Agent = IndexedAgent & { readonly organizations: readonly string[] | null };

const skill = (name: string): AgentSkill => ({
  id: 's',
  name,
  description: '',
  tags: [],
  examples: [],
  inputModes: [],
  outputModes: [],
  securityRequirements: [],
});
const agent = (id: string, name: string, organizations: string[] | null = null): Agent => ({
  id,
  tags: [],
  priority: 0,
  organizations,
  originalCard: name,
  updatedAt: new Date(0),
  card: { skills: [skill(name)], defaultInputModes: [], defaultOutputModes: [] },
});
const THINGS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'];
const OPEN = [agent('pay', 'Payroll'), ...THINGS.map((thing) => agent(thing, `Thing ${thing}`))];

const COMPOSITES: never[] = [];

let agents: Agent[];
/** Lists as the registry hands them out: the same object for who may use the same. */
let lists: Map<string, readonly Agent[]>;
let router: TextRouter;

function registered(...all: Agent[]): void {
  agents = all;
  lists = new Map();
}

function usable({ organization }: { organization: string }): readonly Agent[] {
  const isOwn = agents.some(({ organizations }) => organizations?.includes(organization));
  const key = isOwn ? organization : '';
  const list =
    lists.get(key) ??
    agents.filter(({ organizations }) => organizations?.includes(organization) ?? true);
  lists.set(key, list);
  return list;
}

const nothing = (): void => undefined;
const LOG: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

beforeEach(() => {
  registered(...OPEN);
  const config = configWith({});
  const registry = Object.assign(Object.create(AgentRegistry.prototype) as AgentRegistry, {
    usable,
    prepare: () => undefined,
    audienceOf: (caller: Principal) => caller.organization,
  });
  const external = Object.assign(Object.create(ExternalRouter.prototype) as ExternalRouter, {
    config,
  });
  router = new TextRouter(
    registry,
    { usable: () => COMPOSITES, prepare: () => undefined },
    config,
    external,
    new SystemClock(),
    LOG,
  );
});

afterEach(async () => {
  await router.onModuleDestroy();
  jest.useRealTimers();
});

async function find(organization: string, text = 'payroll'): Promise<readonly TextMatch[]> {
  const offers = { agents: usable({ organization }), composites: COMPOSITES };
  const found = await router.find(
    { id: organization, organization, scopes: new Set() },
    { parts: [textPart(text)] },
    offers,
  );
  return found?.candidates ?? [];
}

describe('the text match of an organization', () => {
  it('knows nothing of skills that only others may use: not in who is found, not in the score', async () => {
    const before = await find('mine');
    expect(before).toMatchObject([{ agentId: 'pay', words: ['payroll'] }]);
    const hidden = Array.from({ length: 300 }, (_, i) =>
      agent(`h${i}`, `Payroll ${THINGS[i % 8]}${i}`, ['other']),
    );
    registered(...OPEN, ...hidden);
    expect(await find('mine')).toEqual(before);
    expect(await find('mine', `payroll ${THINGS[0]}0 ${THINGS[1]}1`)).toEqual(before);
    expect((await find('other')).length).toBe(0);
    expect(await find('other', `${THINGS[0]}0`)).toMatchObject([{ agentId: 'h0' }]);
  });

  it('has its own skills beside those of everybody, as they change', async () => {
    registered(...OPEN, agent('own', 'Payroll letters', ['mine']));
    const ids = async (): Promise<string[]> => (await find('mine')).map(({ agentId }) => agentId);
    expect((await ids()).sort()).toEqual(['own', 'pay']);
    registered(...OPEN, agent('own', 'Letters', ['mine']));
    expect(await ids()).toEqual(['pay']);
    registered(...OPEN);
    expect(await ids()).toEqual(['pay']);
  });

  it('follows what is left of an agent that is itself the same', async () => {
    const both = agent('own', '');
    const [letters, slips] = ['Letters', 'Slips'].map((name) => ({ ...skill(name), id: name }));
    const leaving = (...skills: AgentSkill[]): Agent => ({
      ...both,
      card: { ...both.card, skills },
    });
    const ids = async (text: string): Promise<string[]> =>
      (await find('mine', text)).map(({ skillId }) => skillId);
    registered(...OPEN, leaving(letters!));
    expect(await ids('letters or slips')).toEqual(['Letters']);
    registered(...OPEN, leaving(letters!, slips!));
    expect(await ids('letters or slips')).toEqual(['Letters', 'Slips']);
    registered(...OPEN, leaving(slips!));
    expect(await ids('letters or slips')).toEqual(['Slips']);
  });

  it('is ready before a message asks, from the start and within a second of a change', async () => {
    jest.useFakeTimers();
    router.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(0);
    const written: string[] = [];
    const watched = (each: Agent): Agent =>
      Object.defineProperty({ ...each }, 'card', {
        get: () => {
          written.push(each.id);
          return each.card;
        },
      });
    registered(...OPEN, watched(agent('late', 'Payroll slips')));
    await jest.advanceTimersByTimeAsync(1000);
    expect(written).toContain('late');
    written.length = 0;
    expect((await find('anybody')).map(({ agentId }) => agentId).sort()).toEqual(['late', 'pay']);
    expect(written).toEqual([]);
  });
});
