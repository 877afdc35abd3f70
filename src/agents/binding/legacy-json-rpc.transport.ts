import { LegacyJsonRpcTransport as SdkTransport } from '@a2a-js/sdk/compat/v0_3/client';
import type { Message, StreamResponse, Task } from '../../protocol/a2a.js';
import type { HttpExchange } from './http-exchange.js';
import { fetchOver } from './exchange-fetch.js';
import { isLegacyForm } from './legacy-forms.js';
import { OtherForms } from './other-forms.js';

/** A task that the SDK reads. */
const STAND_IN = { kind: 'task', id: '-', contextId: '-', status: { state: 'working' } };

/** JSON-RPC of protocol 0.3: the SDK's transport, which reads answers in other forms as well here. For one call. */
export class LegacyJsonRpcTransport extends SdkTransport {
  private readonly others: OtherForms;

  /** `onOtherForm` is called when an answer was not in the form of 0.3; `params` are sent beside those of the method. */
  constructor(endpoint: string, exchange: HttpExchange, onOtherForm: () => void, params?: object) {
    const others = new OtherForms(isLegacyForm, onOtherForm);
    const note = (json: unknown): unknown => {
      const { result } = (json ?? {}) as { result?: unknown };
      const read = others.note(result, STAND_IN);
      return read === result ? json : { ...(json as object), result: read };
    };
    const request = params && ((body: string): string => withParams(body, params));
    super({ endpoint, fetchImpl: fetchOver(exchange, { request, event: note, answer: note }) });
    this.others = others;
  }

  override async sendMessage(...call: CallOf<'sendMessage'>): Promise<Message | Task> {
    return this.others.sent(await super.sendMessage(...call));
  }

  override async getTask(...call: CallOf<'getTask'>): Promise<Task> {
    return this.others.task(await super.getTask(...call));
  }

  override async cancelTask(...call: CallOf<'cancelTask'>): Promise<Task> {
    return this.others.task(await super.cancelTask(...call));
  }

  override sendMessageStream(
    ...call: CallOf<'sendMessageStream'>
  ): AsyncGenerator<StreamResponse, void, undefined> {
    return this.others.events(super.sendMessageStream(...call));
  }
}

function withParams(body: string, params: object): string {
  const call = JSON.parse(body) as { readonly params?: object };
  return JSON.stringify({ ...call, params: { ...call.params, ...params } });
}

type CallOf<Name extends keyof SdkTransport> = Parameters<
  Extract<SdkTransport[Name], (...args: never[]) => unknown>
>;
