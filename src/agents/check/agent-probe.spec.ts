import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../common/clock.js';
import { NO_REFERENCES } from '../../common/fake-secrets.js';
import { configWith } from '../../config/index.js';
import type { Agent } from '../agent.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import { isAgentId } from '../card/agent-id.js';
import { AgentProbe } from './agent-probe.js';

describe('a probe', () => {
  it('goes by an id that no registered agent has, whatever it is asked for', async () => {
    const ids: string[] = [];
    const fail = (agent: Agent): Promise<never> => {
      ids.push(agent.id);
      return Promise.reject(new AgentCallError('unreachable', 'nobody there'));
    };
    const client = { probing: () => ({ send: fail }) };
    const next = { next: () => 'm' };
    const probe = new AgentProbe(
      client as never,
      {} as never,
      configWith({}),
      new SystemClock(),
      next as never,
      NO_REFERENCES,
    );
    const endpoint = { url: 'https://a.example', protocolBinding: 'JSONRPC' };
    const agent = {
      id: 'registered',
      card: { capabilities: { streaming: false } },
      endpoint: { ...endpoint, protocolVersion: '1.0', tenant: '' },
      endpointOverride: endpoint.url,
      pin: { protocolBinding: null, protocolVersion: null },
      switches: {},
      budgets: {},
      credentials: {},
    } as unknown as Agent;
    for (let count = 0; count < 2; count++) await probe.of(agent, { probe: true });
    expect(new Set(ids).size).toBe(2);
    expect(ids.filter(isAgentId)).toEqual([]);
  });
});
