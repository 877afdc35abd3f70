import type { EventSourceMessage } from 'eventsource-parser';
import { a2aHeaders, postA2a, problemOfRpc, type StreamResponse, type Task } from '../../api/a2a';
import { readStream } from '../../api/live';
import { ApiProblem, problemOf } from '../../api/problem';

/** One request to the hub and all that came back, as it went over the wire. */
export interface Exchange {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  /** What it was sent with, without what signs in. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RpcRequest;
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly answer: { readonly status: number; readonly requestId: string | null } | null;
  readonly events: readonly WireEvent[];
  /** Milliseconds from the request to its end; null while it is under way. */
  readonly tookMs: number | null;
  /** Why no more came. */
  readonly fault: string | null;
}

export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: string;
  readonly method: string;
  readonly params: unknown;
}

export interface WireEvent {
  /** Milliseconds from the request. */
  readonly afterMs: number;
  /** The `id` of a Server-Sent Event. */
  readonly id: string | null;
  readonly raw: string;
}

/** What came of a request, told as it comes. */
export interface ExchangeListener {
  readonly onAnswer: (answer: NonNullable<Exchange['answer']>) => void;
  readonly onEvent: (event: Omit<WireEvent, 'afterMs'>) => void;
  readonly onResult: (result: StreamResponse | Task) => void;
}

/** Sends a request as any client would. Throws an ApiProblem for what the hub refuses. */
export async function exchange(
  request: RpcRequest,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  to: ExchangeListener,
): Promise<void> {
  const response = await postA2a(request, { ...a2aHeaders(), ...headers }, signal);
  const { status } = response;
  to.onAnswer({ status, requestId: response.headers.get('x-request-id') });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!isStream || response.body === null) {
    const raw = await response.text();
    to.onEvent({ id: null, raw });
    const again = new Response(raw, response);
    if (!response.ok && !raw.includes('"jsonrpc"')) throw await problemOf(again);
    return take(raw, response, to);
  }
  const onEvent = ({ id, data }: EventSourceMessage) => {
    to.onEvent({ id: id ?? null, raw: data });
    take(data, response, to);
  };
  // A hub may be set to send no heartbeats: nothing is missed before the first one.
  await readStream(response.body, onEvent, null);
}

interface RpcAnswer {
  readonly result?: StreamResponse | Task;
  readonly error?: Parameters<typeof problemOfRpc>[0];
}

function take(raw: string, response: Response, to: ExchangeListener): void {
  let answer: RpcAnswer;
  try {
    answer = JSON.parse(raw) as RpcAnswer;
  } catch {
    throw new ApiProblem(response.status, 'NO_JSON', 'What the hub answered is no JSON.');
  }
  if (answer.error) throw problemOfRpc(answer.error, response);
  if (answer.result) to.onResult(answer.result);
}

/** The headers as they are shown and copied: a key never is. */
export function shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const all = { ...a2aHeaders(), ...headers };
  return 'Authorization' in all ? { ...all, Authorization: 'Bearer ••••••••' } : all;
}
