import { textsInTurns } from '../../common/json-in-turns.js';
import { TurnCounter } from '../../common/long-work.js';
import { AgentCallError } from './agent-call-error.js';
import type { AgentAnswer, AgentEvent, HttpExchange, ExchangeRequest } from './http-exchange.js';

/** Characters of an event that the SDK's transports of 0.3 read. */
const SDK_EVENT_LIMIT = 4 * 1024 * 1024;

/**
 * Looks at what the agent is sent, and at what it answered before the SDK's transport does; what it gives is sent
 * or read in its place.
 */
export interface CallWatch {
  readonly request?: ((body: string) => string) | undefined;
  /** Each event of a stream; throws when it cannot be decoded. */
  readonly event?: (json: unknown) => unknown;
  /** An answer that is no stream. */
  readonly answer?: (json: unknown) => unknown;
}

/**
 * The `fetch` that an SDK transport is given: an exchange behind it. A transport calls it with a URL
 * and plain headers, and reads only what {@link ExchangeResponse} has. Events that are no JSON, or
 * that `watch.event` throws at, do not get to the transport: some print what they cannot decode.
 */
export function fetchOver(exchange: HttpExchange, watch: CallWatch = {}): typeof fetch {
  const over = async (url: string, init: ExchangeRequest): Promise<ExchangeResponse> => {
    const streamed = init.headers['Accept'] === 'text/event-stream';
    const { method, headers, body: made } = init;
    const body = typeof made === 'string' && watch.request ? watch.request(made) : made;
    const answer = await exchange.send(url, { method, headers, ...(body ? { body } : {}) });
    return new ExchangeResponse(answer, streamed, watch);
  };
  return over as unknown as typeof fetch;
}

/**
 * What SDK transports read of a `Response`: `json` or `text`, or `body`, which they pipe through a
 * text decoder and take a reader of. Here the text is decoded already, one event at a time.
 */
class ExchangeResponse {
  readonly ok = true;
  readonly statusText = '';
  readonly status: number;
  readonly headers: Pick<Headers, 'get' | 'forEach'>;
  readonly body: object | null;

  constructor(
    private readonly answer: AgentAnswer,
    streamed: boolean,
    private readonly watch: CallWatch,
  ) {
    const contentType = streamed ? 'text/event-stream' : answer.contentType;
    this.status = answer.status;
    this.headers = {
      get: (name) => (name.toLowerCase() === 'content-type' ? contentType : null),
      forEach: () => undefined,
    };
    this.body = streamed ? { pipeThrough: () => ({ getReader: () => this.reader() }) } : null;
  }

  async json(): Promise<unknown> {
    const json = await this.answer.json();
    // `"error": null` beside a result is no error, but transports take the member for one.
    if (typeof json === 'object' && json !== null && 'error' in json) delete json.error;
    return this.watch.answer === undefined ? json : this.watch.answer(json);
  }

  async text(): Promise<string> {
    return JSON.stringify(await this.json());
  }

  /** The text of an event as it came, or of what is read in its place. */
  private async textOf({ json, text, isLong }: AgentEvent): Promise<string> {
    try {
      const read = this.watch.event === undefined ? json : this.watch.event(json);
      if (read === json && text !== undefined) return text;
      return isLong ? await longText(read) : JSON.stringify(read);
    } catch (error) {
      throw new AgentCallError('invalid', 'an event of the agent cannot be read', {
        cause: error,
      });
    }
  }

  private reader(): object {
    const events = this.answer.events();
    return {
      read: async () => {
        const next = await events.next();
        if (next.done) return next;
        return { done: false, value: asSse(await this.textOf(next.value)) };
      },
      cancel: () => events.return(),
      releaseLock: () => undefined,
    };
  }
}

/** Written in turns of the event loop, as far as the SDK would read it. */
async function longText(json: unknown): Promise<string> {
  const pieces = await textsInTurns(json, new TurnCounter(), SDK_EVENT_LIMIT);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > SDK_EVENT_LIMIT) throw new Error('it is too long for an event of 0.3');
  return pieces.join('');
}

function asSse(data: string): string {
  return `data: ${data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data}\n\n`;
}
