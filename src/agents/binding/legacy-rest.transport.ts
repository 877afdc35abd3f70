import { LegacyRestTransport as SdkTransport } from '@a2a-js/sdk/compat/v0_3/client';
import type { Message, StreamResponse, Task } from '../../protocol/a2a.js';
import type { FileBytes } from './file-forms.js';
import type { HttpExchange } from './http-exchange.js';
import { fetchOver } from './exchange-fetch.js';
import { isProtoForm } from './legacy-forms.js';
import { LegacyRemainder } from './legacy-remainder.js';
import { OtherForms } from './other-forms.js';

/** A task that the SDK reads, as the answer to a message or as an event, and as what was asked for. */
const STAND_IN = { id: '-', contextId: '-', status: { state: 'TASK_STATE_WORKING' } };

/** HTTP+JSON of protocol 0.3: the SDK's transport, with what it leaves out put back. For one call. */
export class LegacyRestTransport extends SdkTransport {
  private readonly remainder: LegacyRemainder;
  private readonly others: OtherForms;
  private readonly files: FileBytes;

  /** `onOtherForm` is called when an answer was not in the form of HTTP+JSON 0.3. */
  constructor(endpoint: string, exchange: HttpExchange, onOtherForm: () => void, files: FileBytes) {
    const remainder = new LegacyRemainder();
    const others = new OtherForms(isProtoForm, onOtherForm);
    const note = (json: unknown): unknown => {
      const read = others.note(json, { ...STAND_IN, task: STAND_IN });
      remainder.note(read);
      return read;
    };
    super({ endpoint, fetchImpl: fetchOver(exchange, { event: note, answer: note }) });
    this.remainder = remainder;
    this.others = others;
    this.files = files;
  }

  override async sendMessage(...[params, ...rest]: CallOf<'sendMessage'>): Promise<Message | Task> {
    const answer = await super.sendMessage(await this.files.sent(params), ...rest);
    return this.others.sent(await this.read(answer));
  }

  override async getTask(...call: CallOf<'getTask'>): Promise<Task> {
    return this.others.task(await this.read(await super.getTask(...call)));
  }

  override async cancelTask(...call: CallOf<'cancelTask'>): Promise<Task> {
    return this.others.task(await this.read(await super.cancelTask(...call)));
  }

  override async *sendMessageStream(
    ...[params, ...rest]: CallOf<'sendMessageStream'>
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const events = super.sendMessageStream(await this.files.sent(params), ...rest);
    yield* this.others.events(this.files.events(this.remainder.events(events)));
  }

  /** Files are as this binding has them; what came in another form stands in for the answer later. */
  private read<Answer extends Message | Task>(answer: Answer): Promise<Answer> {
    return this.files.read(this.remainder.restored(answer));
  }
}

type CallOf<Name extends keyof SdkTransport> = Parameters<
  Extract<SdkTransport[Name], (...args: never[]) => unknown>
>;
