import { randomUUID } from 'node:crypto';
import { afterAll, afterEach } from '@jest/globals';
import { type Message, Role, type StreamResponse } from '@a2a-js/sdk';
import type { Agent } from '../../src/agents/agent.js';
import type { AgentSend } from '../../src/agents/client/agent-client.js';
import type { AgentCallError } from '../../src/agents/binding/agent-call-error.js';
import { originsOf } from '../../src/agents/endpoint/credential-origins.js';
import { CardReader } from '../../src/agents/card/card-reader.js';
import { chooseEndpoint } from '../../src/agents/endpoint/choose-endpoint.js';
import { EndpointMemory } from '../../src/agents/client/endpoint-memory.js';
import { SdkAgentClient } from '../../src/agents/client/sdk-agent.client.js';
import { type Clock, SystemClock } from '../../src/common/clock.js';
import { Egress } from '../../src/common/egress/egress.js';
import { configWith } from '../../src/config/index.js';
import { anAgent, NO_DEVIATIONS, NO_PROOFS, NO_REFERENCES, NO_REGISTRY } from './an-agent.js';
import { type SdkAgentOptions, startSdkAgent, textPart } from './agents.js';
import { listenOnLoopback } from './http-listener.js';
import { ScriptedAgent, type ScriptedAgentOptions } from './scripted-agent.js';
import { NoTracing, type Tracing } from '../../src/common/tracing/tracing.js';

/** The hub's own client and agents for it to call; everything is closed after each test. */
export function agentCalls(
  clock: Clock = new SystemClock(),
  tracing: Pick<Tracing, 'isOn' | 'begin'> = new NoTracing(),
) {
  const egress = new Egress({ allow: ['127.0.0.1'] });
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  afterAll(async () => {
    client.onApplicationShutdown();
    await egress.close();
  });

  /** The agent as the registry would have it. */
  async function register(url: string, changes: Partial<Agent> = {}): Promise<Agent> {
    const { card, original } = await new CardReader(egress, NO_REFERENCES).find(url, {});
    const { endpoint } = chooseEndpoint(card);
    return anAgent('under-test', { card, originalCard: original, endpoint, ...changes });
  }

  async function sdkAgent(options: SdkAgentOptions) {
    const running = await startSdkAgent(options);
    closing.push(() => running.close());
    return { running, agent: await register(running.url) };
  }

  async function scripted(options: ScriptedAgentOptions, changes: Partial<Agent> = {}) {
    const running = await ScriptedAgent.start(options);
    closing.push(() => running.close());
    return { running, agent: await register(running.url, changes) };
  }

  /** An agent that answers every request with the same bytes. */
  async function raw(
    status: number,
    body: string,
    contentType: string,
    changes: Partial<Agent> = {},
  ): Promise<Agent> {
    const { url, close } = await listenOnLoopback((_request, response) => {
      response.writeHead(status, { 'content-type': contentType }).end(body);
    });
    closing.push(close);
    return anAgent('raw', { endpoint: endpoint(`${url}/`), ...changes });
  }

  const config = configWith({});
  const client = new SdkAgentClient(
    egress,
    config,
    new EndpointMemory(clock, config),
    NO_DEVIATIONS,
    { issue: ({ principalId }, { url }) => Promise.resolve(`for ${principalId} at ${url}`) },
    NO_REFERENCES,
    NO_PROOFS,
    NO_REGISTRY,
    tracing,
  );
  return { client, closing, register, sdkAgent, scripted, raw };
}

export function endpoint(
  url: string,
  protocolVersion: '1.0' | '0.3' = '1.0',
  protocolBinding: Agent['endpoint']['protocolBinding'] = 'JSONRPC',
): Agent['endpoint'] {
  return { url, protocolBinding, protocolVersion, tenant: '' };
}

/** The agent with these, given for the server that is called. */
export function withCredentials(agent: Agent, credentials: Agent['credentials']): Agent {
  return { ...agent, credentials, credentialOrigins: originsOf(agent.endpoint) };
}

/** A message with one text part. */
export function hello(text = 'hello', changes: Partial<Message> = {}): AgentSend {
  return {
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [textPart(text)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...changes,
    },
    metadata: undefined,
    acceptedOutputModes: [],
  };
}

/** Options of a call that nothing aborts. */
export function options(changes: object = {}) {
  return { signal: new AbortController().signal, ...changes };
}

/** All events of a stream. */
export async function all(events: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const seen: StreamResponse[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

/** What kind of event each is. */
export function kinds(events: readonly StreamResponse[]) {
  return events.map((event) => event.payload?.$case);
}

/** The error of a call that must fail. */
export function failure(promise: Promise<unknown>): Promise<AgentCallError> {
  return promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: AgentCallError) => error,
  );
}
