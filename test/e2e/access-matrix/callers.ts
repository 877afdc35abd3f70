import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { credentials } from '@grpc/grpc-js';
import { Agent, request } from 'undici';
import type { Hub, HttpAnswer } from '../../support/app.js';
import type { Issued } from '../../support/authority.js';
import { GrpcClient, grpcTarget } from '../../support/grpc-client.js';
import type { Json, JsonObject } from '../../support/json.js';

export interface Credential {
  /** A key or a token. */
  readonly bearer?: string;
  readonly certificate?: Issued;
}

interface HttpCall {
  readonly version?: string;
  readonly body?: JsonObject | undefined;
}

/** Who calls, over HTTP and gRPC, with one credential or none. */
export class Caller {
  readonly grpc: GrpcClient;
  private readonly agent: Agent;

  constructor(
    private readonly hub: Hub,
    root: string,
    private readonly credential: Credential = {},
  ) {
    const { certificate, bearer = null } = credential;
    const pair = certificate && { cert: certificate.certificate, key: certificate.key };
    this.agent = new Agent({ connections: 8, connect: { ca: root, ...pair } });
    this.grpc = new GrpcClient(grpcTarget(hub), {
      key: bearer,
      credentials: credentials.createSsl(
        Buffer.from(root),
        pair ? Buffer.from(pair.key) : null,
        pair ? Buffer.from(pair.cert) : null,
      ),
    });
  }

  /** The answer with its headers in the text; of a stream of A2A what came first, of others nothing. */
  async http(method: string, path: string, { version, body }: HttpCall = {}): Promise<HttpAnswer> {
    const { bearer } = this.credential;
    const answer = await request(this.hub.url + path, {
      method,
      dispatcher: this.agent,
      headers: {
        ...(bearer && { authorization: `Bearer ${bearer}` }),
        ...(version && { 'a2a-version': version }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const { statusCode: status, headers } = answer;
    const isStream = String(headers['content-type']).startsWith('text/event-stream');
    const read = isStream ? await begun(answer.body, version) : await answer.body.text();
    const text = `${JSON.stringify(headers)}\n${read}`;
    return { status, headers, text, body: parse(read) };
  }

  async close(): Promise<void> {
    this.grpc.close();
    await this.agent.destroy();
  }
}

async function begun(body: Readable, version: string | undefined): Promise<string> {
  body.on('error', () => undefined);
  const [first] = version === undefined ? [] : ((await once(body, 'data')) as [Buffer]);
  body.destroy();
  return String(first ?? '');
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
