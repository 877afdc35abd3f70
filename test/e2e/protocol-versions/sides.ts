import { once } from 'node:events';
import { type Hub, startHub } from '../../support/app.js';
import { GrpcClient, type GrpcMethod, V0 } from '../../support/grpc-client.js';
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
    private readonly grpc: GrpcClient,
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
    const byDialect = Object.fromEntries(agents.map((agent) => [agent.dialect, agent]));
    return new Sides(hub, byDialect as Sides['agents'], await GrpcClient.of(hub));
  }

  async close(): Promise<void> {
    this.grpc.close();
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

  /** Cancels the task by the client's own way; 0.3 proto has no place for `metadata`. */
  async cancel(client: Dialect, id: string, metadata?: JsonObject): Promise<JsonObject> {
    if (client === 'proto') return this.callLegacy('cancelTask', { name: `tasks/${id}` });
    const method = client === '1.0' ? 'CancelTask' : 'tasks/cancel';
    const params = { id, ...(metadata && { metadata }) };
    return (await this.hub.rpc(method, params, { version: null })) as JsonObject;
  }

  /** The first event of a subscription by the client's own way. */
  async subscribed(client: Dialect, id: string): Promise<SeenEvent> {
    if (client === 'proto') {
      const stream = this.grpc.stream(V0.taskSubscription, { name: `tasks/${id}` });
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
    return this.grpc.exchange(`/a2a.v1.A2AService/${method}`, Buffer.alloc(0));
  }

  /** A unary call of the 0.3 gRPC service; rejects with the service's error. */
  callLegacy(
    method: LegacyMethod,
    request: JsonObject,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<JsonObject> {
    return this.grpc.call(legacy(method), request, headers);
  }

  /** All messages of a streaming call of the 0.3 gRPC service. */
  streamLegacy(method: LegacyMethod, request: JsonObject): Promise<JsonObject[]> {
    return this.grpc.events(legacy(method), request);
  }
}

/** A method of 0.3 that takes and gives objects as the tests write them. */
function legacy(method: LegacyMethod): GrpcMethod<JsonObject, JsonObject> {
  return V0[method] as unknown as GrpcMethod<JsonObject, JsonObject>;
}

type LegacyMethod = keyof typeof V0;
