import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../agents/index.js';
import { SystemClock } from '../../common/clock.js';
import { AgentCard } from '../../protocol/a2a.js';
import { InProcessSignals } from '../signals/in-process-signals.js';
import { AgentCallbacks } from './agent-callbacks.js';
import { CallbackStore } from './callback-store.js';

class NoStore extends CallbackStore {
  note(): Promise<void> {
    return Promise.reject(new Error('one process needs no store'));
  }
  take(): Promise<string[]> {
    return Promise.resolve([]);
  }
  forget(): Promise<number> {
    return Promise.resolve(0);
  }
}

type Known = Pick<Agent, 'id' | 'card' | 'originalCard'>;

function anAgent(pushNotifications: boolean, originalCard = '{}'): Agent {
  const known: Known = {
    id: 'a',
    card: AgentCard.fromJSON({ name: 'A', capabilities: { pushNotifications } }),
    originalCard,
  };
  return known as Agent;
}

interface Given {
  readonly store?: CallbackStore;
  readonly secret?: string;
  readonly mode?: 'auto' | 'off';
  readonly publicUrl?: string | null;
  readonly shared?: boolean;
}

function callbacks(given: Given = {}): AgentCallbacks {
  const { store = new NoStore(), secret = 'secret', mode = 'auto', shared = false } = given;
  const { publicUrl = 'https://hub.example' } = given;
  const silent = (): void => undefined;
  return new AgentCallbacks(
    { publicUrl, agents: { callbacks: mode } },
    { soleProcess: !shared },
    { callbackSecret: () => Promise.resolve(secret) },
    store,
    new InProcessSignals(),
    new SystemClock(),
    { debug: silent, info: silent, warn: silent, error: silent },
  );
}

const AGENT = anAgent(true);

describe('AgentCallbacks', () => {
  it('offers each delegation an address and a token of its own', async () => {
    const hub = callbacks();
    const [one, two] = [await hub.offerTo(AGENT, 'd1'), await hub.offerTo(AGENT, 'd2')];
    expect(one?.url).toBe('https://hub.example/callbacks/agents/d1');
    expect(one?.token).toMatch(/^[\w-]{43}$/);
    expect(two?.token).not.toBe(one?.token);
    expect(await callbacks().offerTo(AGENT, 'd1')).toEqual(one);
    const other = callbacks({ secret: 'another secret' });
    expect((await other.offerTo(AGENT, 'd1'))?.token).not.toBe(one?.token);
  });

  it('offers none to who cannot push, without a public address, and when it is off', async () => {
    expect(await callbacks().offerTo(anAgent(false), 'd1')).toBeUndefined();
    expect(await callbacks({ publicUrl: null }).offerTo(AGENT, 'd1')).toBeUndefined();
    expect(await callbacks({ mode: 'off' }).offerTo(AGENT, 'd1')).toBeUndefined();
  });

  it('offers none again to who has refused one, until its card changes', async () => {
    const hub = callbacks();
    hub.refusedBy(AGENT);
    expect(await hub.offerTo(AGENT, 'd1')).toBeUndefined();
    expect(await hub.offerTo(anAgent(true, '{"version":"2"}'), 'd1')).toBeDefined();
  });

  it('notifies who listens for the delegation, and only with its token', async () => {
    const hub = callbacks();
    const { token = '' } = (await hub.offerTo(AGENT, 'd1')) ?? {};
    let notifications = 0;
    const leave = hub.listen(AGENT, 'd1', () => (notifications += 1));
    for (const wrong of [[], [''], ['x'], [`${token}x`], [token.slice(1)]]) {
      expect(await hub.receive('d1', wrong)).toBe(false);
    }
    expect(await hub.receive('d2', [token])).toBe(false);
    expect(notifications).toBe(0);
    expect(await hub.receive('d1', ['x', token])).toBe(true);
    expect(notifications).toBe(1);
    leave();
    expect(await hub.receive('d1', [token])).toBe(true);
    expect(notifications).toBe(1);
  });

  it('trusts an agent to call from its first call on, until it has missed one', async () => {
    const hub = callbacks();
    const { token = '' } = (await hub.offerTo(AGENT, 'd1')) ?? {};
    hub.listen(AGENT, 'd1', () => undefined);
    expect(hub.isCalledBy(AGENT)).toBe(false);
    await hub.receive('d1', [token]);
    expect(hub.isCalledBy(AGENT)).toBe(true);
    expect(hub.isCalledBy(anAgent(true, '{"version":"2"}'))).toBe(false);
    hub.missedBy(AGENT);
    expect(hub.isCalledBy(AGENT)).toBe(false);
    await hub.receive('d1', [token]);
    expect(hub.isCalledBy(AGENT)).toBe(true);
  });
});
