import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { artifactTexts } from '../support/builders.js';
import { listenOnLoopback } from '../support/http-listener.js';
import type { JsonObject } from '../support/json.js';
import { PeerAgents } from '../support/peer-agents.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const peers = new PeerAgents();

describe('agents: the HTTP+JSON server of a2a-sdk 0.3', () => {
  it('prints its events over many data lines', async () => {
    const sent: string[] = [];
    const listener = await listenOnLoopback((request, response) => {
      sent.push(`${request.method} ${request.url}`);
      pythonRest(listener.url, request, response);
    });
    await peers.register(listener.url, 'py-rest', () => listener.close());
    const answer = await peers.hub.send('go', {}, { path: '/a2a/agents/py-rest' });
    expect(artifactTexts(answer['task'] as JsonObject)).toEqual(['one', 'two']);
    expect(sent).toContain('POST /v1/message:stream');
  });
});

describe('agents: the gRPC server of a2a-sdk 0.3', () => {
  it('reads a missing configuration as one that does not wait: the hub always sends one', async () => {
    const server = new Server();
    const sent: (boolean | undefined)[] = [];
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    const handlers = {
      sendMessage: (
        call: ServerUnaryCall<{ configuration?: { blocking: boolean } }, unknown>,
        answer: sendUnaryData<unknown>,
      ) => {
        sent.push(call.request.configuration?.blocking);
        answer(null, { payload: { $case: 'task', value: protoTask(WORKING) } });
      },
      getTask: (_call: unknown, answer: sendUnaryData<unknown>) =>
        answer(null, protoTask(COMPLETED)),
    };
    server.addService(LegacyA2AService, handlers);
    const agent = await ScriptedAgent.start({
      card: {
        supportedInterfaces: undefined,
        protocolVersion: '0.3.0',
        preferredTransport: 'GRPC',
        url: `127.0.0.1:${port}`,
      },
      streaming: false,
    });
    await peers.register(agent.url, 'py-grpc', async () => {
      server.forceShutdown();
      await agent.close();
    });
    const answer = await peers.hub.send('go', {}, { path: '/a2a/agents/py-grpc' });
    expect(answer['task'].status.state).toBe('TASK_STATE_COMPLETED');
    expect(sent).toEqual([false]);
  });
});

/** `TaskState` in the proto of 0.3. */
const WORKING = 2;
const COMPLETED = 3;

function protoTask(state: number): JsonObject {
  const status = { state, update: undefined, timestamp: undefined };
  return { id: 't', contextId: 'c', status, artifacts: [], history: [], metadata: undefined };
}

function pythonRest(origin: string, request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'GET') {
    const card = {
      name: 'Python',
      description: 'REST of 0.3.',
      version: '1.0.0',
      protocolVersion: '0.3.0',
      preferredTransport: 'HTTP+JSON',
      url: origin,
      capabilities: { streaming: true },
      defaultInputModes: ['text'],
      defaultOutputModes: ['text'],
      skills: [{ id: 's', name: 's', description: 's', tags: ['s'] }],
    };
    const found = request.url === '/.well-known/agent-card.json';
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(found ? card : { detail: 'Not Found' }));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const ids = { taskId: 't', contextId: 'c' };
  const artifact = (text: string): JsonObject => ({ artifactId: 'a', parts: [{ text }] });
  const events: JsonObject[] = [
    { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } },
    { artifactUpdate: { ...ids, artifact: artifact('one') } },
    { artifactUpdate: { ...ids, artifact: artifact('two'), append: true, lastChunk: true } },
    { statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' }, final: true } },
  ];
  for (const event of events) {
    const lines = JSON.stringify(event, null, 2).split('\n');
    response.write(`${lines.map((line) => `data: ${line}`).join('\r\n')}\r\n\r\n`);
  }
  response.end();
}
