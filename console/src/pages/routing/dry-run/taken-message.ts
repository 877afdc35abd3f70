import type { MessageDraft } from './message-draft';

/** A message that another page has written. */
export type TakenMessage = Partial<Pick<MessageDraft, 'kind' | 'text' | 'json' | 'modes'>>;

let waiting: TakenMessage = {};

/** Takes a message along to the dry run, which is opened next: what it says does not belong into an address. */
export function takeMessage(message: TakenMessage): void {
  waiting = message;
}

/** The message that was taken along; nothing the second time. */
export function takenMessage(): TakenMessage {
  const message = waiting;
  waiting = {};
  return message;
}
