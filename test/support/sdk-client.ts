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
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { textPart } from './agents.js';

/** The official SDK's client for a hub, found by its card, speaking this version. */
export async function sdkClient(
  hubUrl: string,
  key: string,
  version: '1.0' | '0.3' = '1.0',
): Promise<Client> {
  const fetchImpl: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${key}`);
    return fetch(url, { ...init, headers });
  };
  const legacyCompat = { enabled: version === '0.3' };
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
      cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
    }),
  );
  const client = version === '1.0' ? await factory.createFromUrl(hubUrl) : await fromLegacyCard();
  if (client.protocolVersion !== version) {
    throw new Error(`the client chose ${client.protocolVersion}, not ${version}`);
  }
  return client;

  /** A 0.3 client asks without a version header; the SDK's resolver always announces 1.0. */
  async function fromLegacyCard(): Promise<Client> {
    const answer = await fetch(`${hubUrl}/.well-known/agent.json`);
    return factory.createFromAgentCard((await answer.json()) as AgentCard);
  }
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
