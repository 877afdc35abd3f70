import { describe, expect, it } from '@jest/globals';
import { AgentCard } from '../../../protocol/a2a.js';
import type { Agent } from '../../agent.js';
import type { Findings } from './findings.js';
import { recommend } from './recommend.js';

type Known = Pick<Agent, 'card' | 'switches' | 'endpoint'>;

const AGENT: Known = {
  card: AgentCard.fromJSON({ name: 'A', capabilities: { streaming: true } }),
  switches: {},
  endpoint: {
    url: 'https://a.example',
    protocolBinding: 'JSONRPC',
    protocolVersion: '1.0',
    tenant: '',
  },
};
const GOOD: Findings = {
  outcome: 'answered',
  error: null,
  endpoint: AGENT.endpoint,
  answer: 'completed',
  streams: 'yes',
  answersGetTask: 'yes',
  listsTasks: 'yes',
  cancels: 'yes',
  doubts: [],
  files: null,
  deviations: [],
  firstAnswerMs: 20,
  endMs: 50,
  server: null,
  oldWire: null,
};

describe('what a probe recommends', () => {
  const patches = (found: Partial<Findings>, agent: Known = AGENT) =>
    recommend(agent, { ...GOOD, ...found }, 60_000).map(({ patch }) => patch);

  it('is nothing for an agent that does what its card says', () => {
    expect(patches({})).toEqual([]);
    expect(patches({ streams: 'not-tested', listsTasks: 'no', cancels: 'no' })).toEqual([]);
  });

  it('is not to stream where the card is wrong, unless that is set already', () => {
    expect(patches({ streams: 'no' })).toEqual([{ switches: { streaming: 'off' } }]);
    const off = { ...AGENT, switches: { streaming: 'off' } } as const;
    expect(patches({ streams: 'no' }, off)).toEqual([]);
  });

  it('is not to stream where the stream is out of order', () => {
    const found = { deviations: ['out-of-order'] } as const;
    expect(patches(found)).toEqual([{ switches: { streaming: 'off' } }]);
    expect(patches(found, { ...AGENT, switches: { streaming: 'off' } })).toEqual([]);
  });

  it('is to wait for an agent that does not know its tasks, if it does not stream', () => {
    const found = { answersGetTask: 'no', streams: 'not-tested' } as const;
    expect(patches(found)).toEqual([{ switches: { blocking: 'on' } }]);
    expect(patches({ ...found, answer: 'message' })).toEqual([]);
    expect(patches({ ...found, streams: 'yes' })).toEqual([null]);
    expect(patches(found, { ...AGENT, switches: { blocking: 'on' } })).toEqual([]);
  });

  it('is to look into the agent whose task came to nothing', () => {
    for (const answer of ['failed', 'rejected']) expect(patches({ answer })).toEqual([null]);
    for (const answer of ['canceled', 'input-required']) expect(patches({ answer })).toEqual([]);
  });

  it('is to pin what it really speaks', () => {
    const older = { ...AGENT.endpoint, protocolVersion: '0.3' } as const;
    expect(patches({ endpoint: older })).toEqual([{ protocolVersion: '0.3' }]);
    const other = { ...AGENT.endpoint, url: 'https://b.example', protocolBinding: 'GRPC' } as const;
    expect(patches({ endpoint: other })).toEqual([
      { protocolBinding: 'GRPC', protocolVersion: '1.0' },
    ]);
  });

  it('is more time for an agent that takes long', () => {
    expect(patches({ firstAnswerMs: 40_000 })).toEqual([{ budgets: { firstEventMs: 160_000 } }]);
    expect(patches({ firstAnswerMs: 40_000, outcome: 'late' })).toEqual([]);
  });

  it('is nothing but the reason for an agent from before 0.2', () => {
    const found = { oldWire: 'It is old.', streams: 'no' } as const;
    expect(recommend(AGENT, { ...GOOD, ...found }, 60_000)).toEqual([
      { patch: null, why: 'It is old.' },
    ]);
  });
});
