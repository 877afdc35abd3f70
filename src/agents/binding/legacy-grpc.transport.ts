import { InterceptingCall, type InterceptorOptions, Metadata, status } from '@grpc/grpc-js';
import { LegacyGrpcTransport as SdkTransport } from '@a2a-js/sdk/compat/v0_3/client/grpc';
import type { Message, StreamResponse, Task } from '../../protocol/a2a.js';
import type { AgentTransport } from './agent-transport.js';
import type { FileBytes } from './file-forms.js';
import type { GrpcExchange, GrpcMethod } from './grpc-exchange.js';
import { LegacyRemainder } from './legacy-remainder.js';
import { Pace } from './pace.js';

type NextCall = ConstructorParameters<typeof InterceptingCall>[0];
type CallListener = Parameters<NextCall['start']>[1];
type CalledMethod = GrpcMethod<unknown, unknown> & { readonly responseStream: boolean };

/** Names the exchange of a call between the SDK's transport and the interceptor; never on the wire. */
const EXCHANGE = 'exchange';
/** gRPC 0.3 cannot leave a number out, and servers take 0 for "no history". */
const WHOLE_HISTORY = 2 ** 31 - 1;
/** What one call of the SDK's transport is made with. */
interface Exchanged {
  readonly exchange: GrpcExchange;
  readonly remainder: LegacyRemainder;
  readonly pace: Pace;
}

/** Nothing is ever sent there; of this scheme grpc-js makes no connection through a proxy. */
const NOWHERE = 'unix:/nowhere';

/**
 * gRPC of protocol 0.3. The SDK's translation between 0.3 and 1.0 comes with its transport only, which
 * opens a channel of its own and cannot be given one. So there is one such transport, whose channel
 * stays unused: an interceptor hands each of its calls to the exchange that the call was begun for.
 */
export class LegacyGrpcTransports {
  private readonly exchanges = new Map<string, Exchanged>();
  private readonly sdk: SdkTransport;
  private calls = 0;

  constructor() {
    const intercept = ({ method_definition: method }: InterceptorOptions): InterceptingCall =>
      new InterceptingCall(new ExchangeCall(method, (name) => this.exchanges.get(name)));
    this.sdk = new SdkTransport({
      endpoint: NOWHERE,
      grpcCallOptions: { interceptors: [intercept] },
    });
  }

  /** A transport whose one call goes over this exchange. */
  over(exchange: GrpcExchange, files: FileBytes): AgentTransport {
    const name = String(++this.calls);
    const options = { serviceParameters: { [EXCHANGE]: name } };
    const { sdk, exchanges } = this;
    const remainder = new LegacyRemainder();
    const pace = new Pace();
    const once = async <T extends Message | Task>(call: () => Promise<T>): Promise<T> => {
      exchanges.set(name, { exchange, remainder, pace });
      try {
        return await files.read(remainder.restored(await call()));
      } finally {
        exchanges.delete(name);
      }
    };
    async function* streamed(call: () => AsyncGenerator<StreamResponse, void, undefined>) {
      exchanges.set(name, { exchange, remainder, pace });
      try {
        for await (const event of files.events(remainder.events(call()))) {
          yield event;
          pace.next();
        }
      } finally {
        exchanges.delete(name);
      }
    }
    return {
      sendMessage: async (params) => {
        const request = await files.sent(params);
        return once(() => sdk.sendMessage(request, options));
      },
      sendMessageStream: async function* (params) {
        const request = await files.sent(params);
        yield* streamed(() => sdk.sendMessageStream(request, options));
      },
      getTask: (params) =>
        once(() => sdk.getTask({ historyLength: WHOLE_HISTORY, ...params }, options)),
      cancelTask: (params) => once(() => sdk.cancelTask(params, options)),
      // Neither is called in 0.3.
      listTasks: (params) => sdk.listTasks(params, options),
      resubscribeTask: (params) => sdk.resubscribeTask(params, options),
    };
  }
}

/**
 * One call of the SDK's transport, made by an exchange. What fails there ends the call with a status
 * that only says so: the exchange knows the reason.
 */
class ExchangeCall implements NextCall {
  private call: Exchanged | undefined;
  private listener: CallListener;
  private request: unknown;
  private events: AsyncGenerator<unknown, void, undefined> | undefined;
  private ended = false;

  constructor(
    private readonly method: CalledMethod,
    private readonly find: (name: string) => Exchanged | undefined,
  ) {}

  start(metadata: Metadata, listener: CallListener): void {
    this.call = this.find(String(metadata.get(EXCHANGE)[0]));
    this.listener = listener;
  }

  sendMessageWithContext(_context: unknown, message: unknown): void {
    this.request = message;
  }

  sendMessage(message: unknown): void {
    this.request = message;
  }

  halfClose(): void {
    if (this.call === undefined) return this.end(status.INTERNAL);
    const { exchange } = this.call;
    if (this.method.responseStream) this.events = exchange.stream(this.method, this.request);
    else void this.pass(exchange.unary(this.method, this.request));
  }

  startRead(): void {
    const { events } = this;
    if (events !== undefined) this.call?.pace.take(() => void this.passNext(events));
  }

  cancelWithStatus(code: status): void {
    this.end(code);
    this.call?.exchange.cancel();
    // Also where the next event is not requested: the exchange frees its channel at the end.
    void this.events?.return().catch(() => undefined);
  }

  getPeer(): string {
    return 'unknown';
  }

  getAuthContext(): null {
    return null;
  }

  private async pass(answer: Promise<unknown>): Promise<void> {
    try {
      const message = await answer;
      this.call?.remainder.note(message);
      this.listener?.onReceiveMessage?.(message);
      this.end(status.OK);
    } catch {
      this.end(status.UNKNOWN);
    }
  }

  private async passNext(events: AsyncGenerator<unknown, void, undefined>): Promise<void> {
    try {
      const next = await events.next();
      if (next.done) this.end(status.OK);
      else if (!this.ended) {
        this.call?.remainder.note(next.value);
        this.listener?.onReceiveMessage?.(next.value);
      }
    } catch {
      this.end(status.UNKNOWN);
    }
  }

  private end(code: status): void {
    if (this.ended) return;
    this.ended = true;
    this.listener?.onReceiveStatus?.({ code, details: '', metadata: new Metadata() });
  }
}
