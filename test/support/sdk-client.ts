import { randomUUID } from 'node:crypto';
import {
  type AgentCard,
  type Message,
  Role,
  type SendMessageRequest,
  type StreamResponse,
} from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type TransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { InterceptingCall, type Interceptor } from '@grpc/grpc-js';
import { type AgentBinding, textPart } from './agents.js';

/**
 * The official SDK's client for a hub, which finds its interface on the hub's card by this version and
 * binding.
 */
export async function sdkClient(
  hubUrl: string,
  key: string,
  version: '1.0' | '0.3' = '1.0',
  binding: AgentBinding = 'JSONRPC',
): Promise<Client> {
  const legacyCompat = { enabled: version === '0.3' };
  const factory = new ClientFactory({
    transports: [transportOf(binding, `Bearer ${key}`, legacyCompat)],
    cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
  });
  const client = version === '1.0' ? await factory.createFromUrl(hubUrl) : await fromLegacyCard();
  const chosen = `${client.transport.protocolName} ${client.protocolVersion}`;
  if (chosen !== `${binding} ${version}`) {
    throw new Error(`the client chose ${chosen}, not ${binding} ${version}`);
  }
  return client;

  /** The SDK's resolver always announces 1.0. */
  async function fromLegacyCard(): Promise<Client> {
    const answer = await fetch(`${hubUrl}/.well-known/agent-card.json`, {
      headers: { 'A2A-Version': '0.3' },
    });
    return factory.createFromAgentCard((await answer.json()) as AgentCard);
  }
}

/** Gives the connection of a gRPC client back; the SDK has no word for it. */
export function closeClient(client: Client): void {
  const { transport } = client as unknown as { transport: { grpcClient?: { close(): void } } };
  transport.grpcClient?.close();
}

/** The SDK's transport, with the key in every call. */
function transportOf(
  binding: AgentBinding,
  authorization: string,
  legacyCompat: { enabled: boolean },
): TransportFactory {
  if (binding === 'GRPC') {
    const interceptors: Interceptor[] = [
      (options, next) =>
        new InterceptingCall(next(options), {
          start(metadata, listener, proceed) {
            metadata.set('authorization', authorization);
            proceed(metadata, listener);
          },
        }),
    ];
    return new GrpcTransportFactory({ grpcCallOptions: { interceptors }, legacyCompat });
  }
  const fetchImpl = fetchWith(authorization);
  return binding === 'JSONRPC'
    ? new JsonRpcTransportFactory({ fetchImpl, legacyCompat })
    : new RestTransportFactory({ fetchImpl, legacyCompat });
}

/** Fetches with these credentials. */
export function fetchWith(authorization: string): typeof fetch {
  return (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', authorization);
    return fetch(url, { ...init, headers });
  };
}

export interface RequestFields {
  readonly message?: Partial<Message>;
  readonly configuration?: Partial<NonNullable<SendMessageRequest['configuration']>>;
}

/** A send request of the SDK's client. */
export function sdkRequest(text: string, fields: RequestFields = {}): SendMessageRequest {
  return {
    tenant: '',
    message: {
      messageId: randomUUID(),
      role: Role.ROLE_USER,
      parts: [textPart(text)],
      contextId: '',
      taskId: '',
      extensions: [],
      metadata: undefined,
      referenceTaskIds: [],
      ...fields.message,
    },
    configuration: {
      acceptedOutputModes: [],
      returnImmediately: false,
      taskPushNotificationConfig: undefined,
      ...fields.configuration,
    },
    metadata: undefined,
  };
}

/** All events of a stream. */
export async function collect(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The kind of each event. */
export function kindsOf(events: readonly StreamResponse[]): (string | undefined)[] {
  return events.map((event) => event.payload?.$case);
}
