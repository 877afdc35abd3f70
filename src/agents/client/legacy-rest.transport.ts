import { LegacyRestTransport as SdkTransport } from '@a2a-js/sdk/compat/v0_3/client';
import type { Message, StreamResponse, Task } from '../../protocol/a2a.js';
import type { HttpExchange } from './http-exchange.js';
import { fetchOver } from './exchange-fetch.js';
import { LegacyRemainder } from './legacy-remainder.js';

/** HTTP+JSON of protocol 0.3: the SDK's transport, with what it leaves out put back. For one call. */
export class LegacyRestTransport extends SdkTransport {
  private readonly remainder: LegacyRemainder;

  constructor(endpoint: string, exchange: HttpExchange) {
    const remainder = new LegacyRemainder();
    const note = (json: unknown): void => remainder.note(json);
    super({ endpoint, fetchImpl: fetchOver(exchange, { event: note, answer: note }) });
    this.remainder = remainder;
  }

  override async sendMessage(...call: CallOf<'sendMessage'>): Promise<Message | Task> {
    return this.remainder.restored(await super.sendMessage(...call));
  }

  override async getTask(...call: CallOf<'getTask'>): Promise<Task> {
    return this.remainder.restored(await super.getTask(...call));
  }

  override async cancelTask(...call: CallOf<'cancelTask'>): Promise<Task> {
    return this.remainder.restored(await super.cancelTask(...call));
  }

  override sendMessageStream(
    ...call: CallOf<'sendMessageStream'>
  ): AsyncGenerator<StreamResponse, void, undefined> {
    return this.remainder.events(super.sendMessageStream(...call));
  }
}

type CallOf<Name extends keyof SdkTransport> = Parameters<
  Extract<SdkTransport[Name], (...args: never[]) => unknown>
>;
