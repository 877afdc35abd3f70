import { once } from 'node:events';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import * as grpc from '@grpc/grpc-js';
import { type Hub, startHub } from '../../support/app.js';
import { grpcTargetOf } from '../../support/doors.js';
import type { JsonObject } from '../../support/json.js';
import {
  type Dialect,
  DIALECTS,
  type MessageFields,
  messageOf,
  seenIn,
  type SeenEvent,
} from './dialects.js';
import { SideAgent } from './side-agents.js';

export interface SidesOptions {
  readonly streaming: boolean;
  readonly extension?: string;
}

export interface SendOptions {
  readonly configuration?: JsonObject;
  readonly metadata?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A hub with one agent of each dialect, and a client of each. */
export class Sides {
  private constructor(
    readonly hub: Hub,
    readonly agents: Readonly<Record<Dialect, SideAgent>>,
    private readonly legacy: grpc.Client,
    readonly key: string,
  ) {}

  /** `extension` is one that every agent's card declares. */
  static async start({ streaming, extension }: SidesOptions): Promise<Sides> {
    const hub = await startHub({ config: { grpc: { port: -1 } } });
    const agents = await Promise.all(
      DIALECTS.map((dialect) =>
        SideAgent.start(dialect, `agent-${dialect.replace('.', '-')}`, streaming, extension),
      ),
    );
    for (const agent of agents) {
      const fields = { id: agent.id, card: agent.card() };
      const { status, text } = await hub.admin('POST', '/api/v1/agents', fields);
      if (status !== 201) throw new Error(`${agent.id} was refused: ${text}`);
    }
    const legacy = new LegacyClient(await grpcTargetOf(hub), grpc.credentials.createInsecure());
    const byDialect = Object.fromEntries(agents.map((agent) => [agent.dialect, agent]));
    return new Sides(hub, byDialect as Sides['agents'], legacy, await hub.key());
  }

  async close(): Promise<void> {
    this.legacy.close();
    await this.hub.close();
    for (const agent of Object.values(this.agents)) await agent.close();
  }

  /** Sends a message of this dialect to that agent; the task or the message, in the client's dialect. */
  async send(
    client: Dialect,
    agent: Dialect,
    fields: MessageFields,
    { headers = {}, ...more }: SendOptions = {},
  ): Promise<JsonObject> {
    const { id } = this.agents[agent];
    const message = messageOf(client, fields, 'user');
    const options = { version: null, path: `/a2a/agents/${id}`, headers };
    if (client === '1.0') {
      const result = (await this.hub.rpc(
        'SendMessage',
        { message, ...more },
        options,
      )) as JsonObject;
      return (result['task'] ?? result['message']) as JsonObject;
    }
    if (client === '0.3') {
      return (await this.hub.rpc('message/send', { message, ...more }, options)) as JsonObject;
    }
    const request = { ...more, request: message, metadata: { agentId: id, ...more.metadata } };
    const response = await this.callLegacy('sendMessage', request, headers);
    return (response['payload'] as JsonObject)['value'] as JsonObject;
  }

  /** Streams a message of this dialect to that agent; what the client sees. */
  async stream(client: Dialect, agent: Dialect, fields: MessageFields): Promise<SeenEvent[]> {
    const { id } = this.agents[agent];
    const message = messageOf(client, fields, 'user');
    if (client === 'proto') {
      const request = { request: message, metadata: { agentId: id } };
      const events = await this.streamLegacy('sendStreamingMessage', request);
      return events.map((event) => seenIn(client, event));
    }
    const method = client === '1.0' ? 'SendStreamingMessage' : 'message/stream';
    const options = { version: null, path: `/a2a/agents/${id}` };
    const stream = await this.hub.stream(method, { message }, options);
    return (await stream.collect()).map(({ data }) => seenIn(client, data));
  }

  /** The task by the client's own way to get it. */
  async get(client: Dialect, id: string): Promise<JsonObject> {
    if (client === 'proto')
      return this.callLegacy('getTask', { name: `tasks/${id}`, historyLength: 0 });
    const method = client === '1.0' ? 'GetTask' : 'tasks/get';
    return (await this.hub.rpc(method, { id }, { version: null })) as JsonObject;
  }

  /** Cancels the task by the client's own way. */
  async cancel(client: Dialect, id: string): Promise<JsonObject> {
    if (client === 'proto') return this.callLegacy('cancelTask', { name: `tasks/${id}` });
    const method = client === '1.0' ? 'CancelTask' : 'tasks/cancel';
    return (await this.hub.rpc(method, { id }, { version: null })) as JsonObject;
  }

  /** The first event of a subscription by the client's own way. */
  async subscribed(client: Dialect, id: string): Promise<SeenEvent> {
    if (client === 'proto') {
      const stream = this.method('taskSubscription')(
        { name: `tasks/${id}` },
        this.credentials({}),
      ) as grpc.ClientReadableStream<JsonObject>;
      stream.on('error', () => undefined);
      const [event] = (await once(stream, 'data')) as [JsonObject];
      stream.cancel();
      return seenIn(client, event);
    }
    const method = client === '1.0' ? 'SubscribeToTask' : 'tasks/resubscribe';
    const stream = await this.hub.stream(method, { id }, { version: null });
    const event = await stream.next();
    stream.close();
    return seenIn(client, event!.data);
  }

  /** A method of the 0.3 gRPC service that its definition does not have; rejects. */
  unknownLegacy(method: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const same = (bytes: Buffer): Buffer => bytes;
      this.legacy.makeUnaryRequest(
        `/a2a.v1.A2AService/${method}`,
        same,
        same,
        Buffer.alloc(0),
        this.credentials({}),
        (error, answer) => (error ? reject(error) : resolve(answer)),
      );
    });
  }

  /** A unary call of the 0.3 gRPC service; rejects with the service's error. */
  callLegacy(
    method: LegacyMethod,
    request: JsonObject,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const done = (error: Error | null, response: JsonObject): void =>
        error ? reject(error) : resolve(response);
      this.method(method)(request, this.credentials(headers), done);
    });
  }

  /** All messages of a streaming call of the 0.3 gRPC service. */
  async streamLegacy(method: LegacyMethod, request: JsonObject): Promise<JsonObject[]> {
    const stream = this.method(method)(request, this.credentials({}));
    const events: JsonObject[] = [];
    for await (const event of stream as AsyncIterable<JsonObject>) events.push(event);
    return events;
  }

  private method(name: LegacyMethod): (...args: unknown[]) => unknown {
    const methods = this.legacy as unknown as Record<string, (...args: unknown[]) => unknown>;
    return methods[name]!.bind(this.legacy);
  }

  private credentials(headers: Readonly<Record<string, string>>): grpc.Metadata {
    const metadata = new grpc.Metadata();
    metadata.set('authorization', `Bearer ${this.key}`);
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return metadata;
  }
}

const LegacyClient = grpc.makeClientConstructor(LegacyA2AService, 'a2a.v1.A2AService');
type LegacyMethod = keyof typeof LegacyA2AService;
