import type { IncomingMessage, ServerResponse } from 'node:http';
import { listenOnLoopback } from './http-listener.js';
import type { JsonObject } from './json.js';

/** How a {@link WireAgent} is spoken to over HTTP. */
export interface Wire {
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly version: '1.0' | '0.3';
}

export const WIRES: readonly Wire[] = [
  { binding: 'JSONRPC', version: '1.0' },
  { binding: 'JSONRPC', version: '0.3' },
  { binding: 'HTTP+JSON', version: '1.0' },
  { binding: 'HTTP+JSON', version: '0.3' },
];

export interface WireScript {
  /** What follows on its stream: an event, a pause (`pauseMs`, or until the promise resolves), or bytes as they are. */
  readonly stream: readonly (JsonObject | Promise<void> | string)[];
  /** Its stream stays open behind the last event. */
  readonly staysOpen?: boolean;
  /** What follows on the stream of a further message; the same as on the first when absent. */
  readonly further?: readonly JsonObject[];
  /** What it answers to a question for its task; it does not know it when absent. */
  readonly task?: JsonObject;
  /** How it takes a cancel: what its open stream brings then, and the task or error that it answers. */
  readonly cancel?: { readonly events: readonly JsonObject[]; readonly answer: JsonObject };
  /** Members of its card that are other than those of {@link Wire}. */
  readonly card?: (url: string) => JsonObject;
}

export interface WireAgent {
  readonly url: string;
  /** Questions for its task so far. */
  requested(): number;
  /** Every call so far: where it went and the method of JSON-RPC. */
  calls(): readonly string[];
  /** The params of the last call of a method of JSON-RPC. */
  paramsOf(method: string): unknown;
  close(): Promise<void>;
}

/**
 * An agent of which a test decides every member of every answer, over each HTTP binding in each version:
 * nothing is translated, so that it may answer in a form that its card does not say.
 */
export async function startWireAgent(wire: Wire, script: WireScript): Promise<WireAgent> {
  let requested = 0;
  let sent = 0;
  const calls: string[] = [];
  const given = new Map<string, unknown>();
  const open: ((event: JsonObject | undefined) => void)[] = [];
  const listener = await listenOnLoopback((request, response) => {
    void answer(request, response);
  });
  return {
    url: listener.url,
    requested: () => requested,
    calls: () => calls,
    paramsOf: (method) => given.get(method),
    close: () => listener.close(),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    if (path.startsWith('/.well-known/')) {
      const card = { ...cardOf(wire, listener.url), ...script.card?.(listener.url) };
      return sendJson(response, 200, card);
    }
    const text = Buffer.concat(chunks).toString();
    const {
      id,
      params,
      method = `${request.method} ${path}`,
    } = (text === '' ? {} : JSON.parse(text)) as JsonObject;
    given.set(String(method), params);
    const isRpc = wire.binding === 'JSONRPC';
    calls.push(isRpc ? `${path} ${String(method)}` : String(method));
    const enveloped = (result: unknown): unknown =>
      isRpc ? { jsonrpc: '2.0', id, result } : result;
    if (/message\/stream|SendStreamingMessage|message:stream/.test(String(method))) {
      return play(response, enveloped);
    }
    if (/tasks\/get|GetTask|^GET .*\/tasks\/[^:]+$/.test(String(method))) {
      requested += 1;
      if (script.task !== undefined) return sendJson(response, 200, enveloped(script.task));
      const error = { code: -32001, message: 'Task not found' };
      return isRpc
        ? sendJson(response, 200, { jsonrpc: '2.0', id, error })
        : sendJson(response, 404, { code: -32001, message: 'Task not found' });
    }
    if (script.cancel !== undefined && /tasks\/cancel|CancelTask/.test(String(method))) {
      for (const tell of open.splice(0)) {
        for (const event of script.cancel.events) tell(event);
        tell(undefined);
      }
      return sendJson(response, 200, { jsonrpc: '2.0', id, ...script.cancel.answer });
    }
    const error = { code: -32601, message: 'Method not found' };
    return sendJson(response, isRpc ? 200 : 404, isRpc ? { jsonrpc: '2.0', id, error } : {});
  }

  async function play(
    response: ServerResponse,
    enveloped: (result: unknown) => unknown,
  ): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const each of sent++ > 0 ? (script.further ?? script.stream) : script.stream) {
      if (typeof each === 'string') response.write(each);
      else if (each instanceof Promise) await each;
      else if ('pauseMs' in each) {
        await new Promise((resolve) => setTimeout(resolve, Number(each['pauseMs'])));
      } else response.write(`data: ${JSON.stringify(enveloped(each))}\n\n`);
    }
    if (script.staysOpen !== true) return void response.end();
    open.push((event) => {
      if (event === undefined) response.end();
      else response.write(`data: ${JSON.stringify(enveloped(event))}\n\n`);
    });
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function cardOf({ binding, version }: Wire, url: string): JsonObject {
  const card = {
    name: 'Wire agent',
    description: 'Answers what a test says.',
    version: '1.0.0',
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 's', description: 's', tags: ['s'] }],
  };
  if (version === '0.3') {
    return { ...card, protocolVersion: '0.3.0', url, preferredTransport: binding };
  }
  return {
    ...card,
    supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: '1.0' }],
  };
}
