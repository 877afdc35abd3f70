import { beforeEach, describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { ConnectError } from '../../common/egress/egress.js';
import { configWith } from '../../config/index.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import { CallPlan } from './call-plan.js';
import type { AgentMethod } from '../binding/agent-method.js';
import { EndpointMemory, serverOf } from './endpoint-memory.js';

type Interface = readonly [binding: string, version: string, url: string];

let memory: EndpointMemory;

beforeEach(() => {
  memory = new EndpointMemory(new SettableClock(), configWith({}));
});

function agentAt(...interfaces: Interface[]): Agent {
  const supportedInterfaces = interfaces.map(([protocolBinding, protocolVersion, url]) => ({
    protocolBinding,
    protocolVersion,
    url,
    tenant: '',
  }));
  return {
    id: 'a',
    originalCard: 'card',
    endpointOverride: null,
    pin: { protocolBinding: null, protocolVersion: null },
    card: { supportedInterfaces },
    endpoint: supportedInterfaces[0],
    credentials: {},
    credentialOrigins: [],
    refused: [],
  } as unknown as Agent;
}

const shown = ({ protocolBinding, protocolVersion }: AgentEndpoint): string =>
  `${protocolBinding} ${protocolVersion}`;
const planFor = (agent: Agent, method: AgentMethod = 'SendMessage') =>
  new CallPlan(agent, memory, method);
const next = (agent: Agent) => shown(planFor(agent).current);
const refused = (code: number) => new AgentCallError('rejected', 'no', { code });
const noConnection = (code: string) =>
  new AgentCallError('unreachable', 'no', { cause: new ConnectError('there', { code }) });

describe('what tells the version of an agent', () => {
  const agent = agentAt(['JSONRPC', '1.0', 'http://h:1/']);

  it.each<AgentMethod>(['SubscribeToTask', 'SendStreamingMessage', 'ListTasks'])(
    'is not that it does not know %s, which is optional',
    (method) => {
      const plan = planFor(agent, method);
      const refusal = refused(-32601);
      expect(plan.failed(refusal)).toBe(refusal);
      expect(next(agent)).toBe('JSONRPC 1.0');
    },
  );

  it.each([-32600, -32602, -32603, -32008])('is not the refusal %d in 0.3', (code) => {
    const plan = planFor(agent);
    plan.failed(refused(-32601));
    expect(shown(plan.current)).toBe('JSONRPC 0.3');
    expect(plan.failed(refused(code))?.detail.code).toBe(code);
    expect(next(agent)).toBe('JSONRPC 1.0');
  });

  it.each([-32001, -32002])('is the refusal %d in 0.3', (code) => {
    const plan = planFor(agent);
    plan.failed(refused(-32009));
    plan.failed(refused(code));
    expect(next(agent)).toBe('JSONRPC 0.3');
  });

  it.each([-32601, -32009])('is the refusal %d of one that was taken for 0.3', (code) => {
    const first = planFor(agent);
    first.failed(refused(-32009));
    first.answered();
    const plan = planFor(agent);
    expect(shown(plan.current)).toBe('JSONRPC 0.3');
    expect(plan.failed(refused(code))).toBeUndefined();
    expect(shown(plan.current)).toBe('JSONRPC 1.0');
    plan.answered();
    expect(next(agent)).toBe('JSONRPC 1.0');
  });

  it('comes to an end where neither version is spoken any more', () => {
    const first = planFor(agent);
    first.failed(refused(-32009));
    first.answered();
    const plan = planFor(agent);
    const refusals = [-32601, -32009, -32601].map((code) => plan.failed(refused(code)));
    expect(refusals.map((one) => one?.detail.code)).toEqual([undefined, undefined, -32009]);
  });

  it('is no longer known at another address', () => {
    const plan = planFor(agent);
    plan.failed(refused(-32009));
    plan.answered();
    const url = 'http://new:9/';
    const moved = { ...agent, endpointOverride: url, endpoint: { ...agent.endpoint, url } };
    expect([next(agent), next(moved)]).toEqual(['JSONRPC 0.3', 'JSONRPC 1.0']);
  });

  it('is known of the interface that answered only', () => {
    const several = agentAt(
      ['JSONRPC', '1.0', 'http://h1:1/'],
      ['HTTP+JSON', '1.0', 'http://h2:2/'],
      ['JSONRPC', '0.3', 'http://h3:3/'],
    );
    const plan = planFor(several);
    plan.failed(refused(-32009));
    plan.failed(noConnection('ECONNREFUSED'));
    expect(shown(plan.current)).toBe('HTTP+JSON 1.0');
    plan.answered();
    expect(memory.inOrder(several).map((one) => shown(memory.spoken(several, one)))).toEqual([
      'JSONRPC 1.0',
      'HTTP+JSON 1.0',
      'JSONRPC 0.3',
    ]);
  });
});

describe('what the hub asks in 1.0 only', () => {
  it.each<AgentMethod>(['SubscribeToTask', 'ListTasks'])('is %s', (method) => {
    const agent = agentAt(['JSONRPC', '1.0', 'http://h:1/']);
    const plan = planFor(agent, method);
    const refusal = refused(-32009);
    expect(plan.failed(refusal)).toBeUndefined();
    expect(() => plan.current).toThrow(refusal);
    memory.keepDowngraded(agent, agent.endpoint);
    expect(() => planFor(agent, method).current).toThrow(method);
  });
});

describe('the server of an interface', () => {
  it.each<[string, string, string]>([
    ['JSONRPC', 'https://agent/', 'agent:443'],
    ['JSONRPC', 'http://agent/', 'agent:80'],
    ['JSONRPC', 'http://agent:8080/x', 'agent:8080'],
    ['GRPC', 'agent', 'agent:443'],
    ['GRPC', 'agent:443', 'agent:443'],
    ['GRPC', 'grpc://agent:80', 'agent:80'],
  ])('of %s at %s is %s', (protocolBinding, url, server) => {
    expect(serverOf({ protocolBinding, url } as AgentEndpoint)).toBe(server);
  });

  const agent = agentAt(
    ['JSONRPC', '1.0', 'http://agent:8080/rpc'],
    ['HTTP+JSON', '1.0', 'http://agent:8080/rest'],
    ['GRPC', '1.0', 'agent:9090'],
  );

  it('is passed over as a whole when nobody is there', () => {
    const plan = planFor(agent);
    plan.failed(noConnection('ECONNREFUSED'));
    expect(shown(plan.current)).toBe('GRPC 1.0');
    expect(next(agent)).toBe('GRPC 1.0');
  });

  it.each(['ECONNFAILED', 'CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED'])(
    'is asked at another interface after %s',
    (code) => {
      const plan = planFor(agent);
      plan.failed(noConnection(code));
      expect(shown(plan.current)).toBe('HTTP+JSON 1.0');
      expect(next(agent)).toBe('HTTP+JSON 1.0');
    },
  );

  it('is not dead for what the call itself had wrong', () => {
    const plan = planFor(agent);
    plan.failed(new AgentCallError('unreachable', 'the header cannot be sent'));
    expect(shown(plan.current)).toBe('HTTP+JSON 1.0');
    expect(next(agent)).toBe('JSONRPC 1.0');
  });
});
