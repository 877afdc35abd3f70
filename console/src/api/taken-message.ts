/** A message that one page has written, for the dry run. */
export interface TakenMessage {
  readonly kind?: 'text' | 'json';
  readonly text?: string;
  /** A message of A2A. */
  readonly json?: string;
  /** Accepted media types, with commas between them. */
  readonly modes?: string;
}

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
