import type { Message, StreamResponse, Task } from '../../protocol/a2a.js';
import { eventInAnyForm } from './any-form.js';

/**
 * The answers of one 0.3 call that are in another form than its binding has. The SDK's transport reads a task
 * in their place, which stands in for them; each answer that was noted comes out as one, in the same order.
 */
export class OtherForms {
  private readonly noted: (StreamResponse | undefined)[] = [];

  /** `isOwn` tells the form of the binding; `onOtherForm` is called at every answer in another. */
  constructor(
    private readonly isOwn: (json: unknown) => boolean,
    private readonly onOtherForm: () => void,
  ) {}

  /** What the SDK is to read of an answer: the answer itself, or `standIn`. */
  note(json: unknown, standIn: object): unknown {
    const other = this.isOwn(json) ? undefined : eventInAnyForm(json);
    this.noted.push(other);
    if (other === undefined) return json;
    this.onOtherForm();
    return standIn;
  }

  /** The answer to a message. */
  sent(read: Message | Task): Message | Task {
    const other = this.noted.shift();
    if (other === undefined) return read;
    const { payload } = other;
    if (payload?.$case === 'task' || payload?.$case === 'message') return payload.value;
    throw new Error('it is neither a task nor a message');
  }

  task(read: Task): Task {
    const other = this.noted.shift();
    if (other === undefined) return read;
    if (other.payload?.$case === 'task') return other.payload.value;
    throw new Error('it is no task');
  }

  async *events(
    events: AsyncIterable<StreamResponse>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    for await (const event of events) yield this.noted.shift() ?? event;
  }
}
