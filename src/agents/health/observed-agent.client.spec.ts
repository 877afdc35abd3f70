import { describe, expect, it } from '@jest/globals';
import type { StreamResponse } from '../../protocol/a2a.js';
import type { Agent } from '../agent.js';
import { AGENT_TOO_LATE, type AgentClient, type AgentSend } from '../client/agent-client.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import { AgentCalls } from './agent-calls.js';
import type { Call } from './agent-monitor.js';
import { ObservedAgentClient } from './observed-agent.client.js';

const AGENT = { id: 'a' } as Agent;
const SEND = {} as AgentSend;
const EVENT: StreamResponse = { payload: undefined };

/** What the monitor is told, in short. */
class Told {
  readonly all: string[] = [];
  began(agent: Agent): Call {
    return { agent, beganAt: 0, faultsBefore: 0 };
  }
  answered(): void {
    this.all.push('ok');
  }
  failed(_call: Call, { kind }: AgentCallError): void {
    this.all.push(kind);
  }
  broke(_call: Call, error: string): void {
    this.all.push(error);
  }
}

async function* streamOf(items: (StreamResponse | Error)[]): AsyncGenerator<StreamResponse> {
  for (const item of items) {
    await Promise.resolve();
    if (item instanceof Error) throw item;
    yield item;
  }
}

function observing(client: Partial<AgentClient>): { client: ObservedAgentClient; told: string[] } {
  const monitor = new Told();
  return {
    client: new ObservedAgentClient(client as AgentClient, monitor, new AgentCalls()),
    told: monitor.all,
  };
}

const live = (): { signal: AbortSignal } => ({ signal: new AbortController().signal });
const cut = new AgentCallError('interrupted', 'cut');

async function read(events: AsyncIterable<StreamResponse>): Promise<number> {
  let count = 0;
  for await (const event of events) if (event) count++;
  return count;
}

describe('an observed client', () => {
  it('tells what a call came to, once, and passes it on', async () => {
    const { client, told } = observing({ getTask: () => Promise.reject(cut) });
    await expect(client.getTask(AGENT, 't', live())).rejects.toBe(cut);
    expect(told).toEqual(['interrupted']);
  });

  it('takes the first event of a stream for its outcome, whatever comes after', async () => {
    const { client, told } = observing({ stream: () => streamOf([EVENT, EVENT, cut]) });
    await expect(read(client.stream(AGENT, SEND, live()))).rejects.toBe(cut);
    expect(told).toEqual(['ok']);
  });

  it('takes a stream that fails or ends before its first event for a failure', async () => {
    const failing = observing({ stream: () => streamOf([cut]) });
    await expect(read(failing.client.stream(AGENT, SEND, live()))).rejects.toBe(cut);
    expect(failing.told).toEqual(['interrupted']);
    const empty = observing({ subscribe: () => streamOf([]) });
    expect(await read(empty.client.subscribe(AGENT, 't', live()))).toBe(0);
    expect(empty.told).toEqual(['the stream ended without an event']);
  });

  it('ends the stream of who leaves early, and says nothing', async () => {
    let ended = false;
    async function* source(): AsyncGenerator<StreamResponse> {
      try {
        for (;;) yield EVENT;
      } finally {
        await Promise.resolve();
        ended = true;
      }
    }
    const { client, told } = observing({ stream: source });
    for await (const event of client.stream(AGENT, SEND, live())) if (event) break;
    expect(ended).toBe(true);
    expect(told).toEqual(['ok']);
  });

  it('says nothing of a call that the hub broke off, unless the agent was too late', async () => {
    for (const [reason, wanted] of [
      [new Error('over'), []],
      [AGENT_TOO_LATE, ['no answer in time']],
    ] as const) {
      const call = new AbortController();
      const { client, told } = observing({
        send: () => {
          call.abort(reason);
          return Promise.reject(cut);
        },
      });
      await expect(client.send(AGENT, SEND, { signal: call.signal })).rejects.toBe(cut);
      expect(told).toEqual(wanted);
    }
  });

  it('says nothing of a fault of the hub itself', async () => {
    const { client, told } = observing({ cancel: () => Promise.reject(new TypeError('bug')) });
    await expect(client.cancel(AGENT, 't', live())).rejects.toThrow('bug');
    expect(told).toEqual([]);
  });
});
