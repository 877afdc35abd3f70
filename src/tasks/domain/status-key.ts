import { createHash, hash } from 'node:crypto';
import { canonicalJson } from '../../common/canonical-json.js';
import { canonicalInTurns } from '../../common/json-in-turns.js';
import { isLong } from '../../common/long-work.js';
import { type Message, Part, type TaskState, type TaskStatus } from '../../protocol/a2a.js';
import { withLateBytes } from '../../protocol/part-bytes.js';
import type { Delegation, DelegationProgress } from '../task.js';

/**
 * `state:content@timestamp` of the agent's status that was shown last, prefixed with `answered:`
 * once the client has answered it. Agents repeat a status (in a stream, and in every snapshot of the
 * task), and a snapshot taken right after an answer may still show the question.
 */
interface StatusKey {
  readonly answered: boolean;
  readonly state: TaskState;
  readonly content: string;
  readonly timestamp: string;
}

const ANSWERED = 'answered:';

/** The key of a status. Ids of tasks and contexts are no part of it: snapshots fill them in. */
export function statusKey(status: TaskStatus): string {
  return `${status.state}:${contentHash(status)}@${status.timestamp ?? ''}`;
}

/** The key once the client has answered that status. */
export function answeredKey(key: string | undefined): string | undefined {
  return key === undefined || key.startsWith(ANSWERED) ? key : ANSWERED + key;
}

/** The agent's state in the status shown last. */
export function lastState(progress: DelegationProgress): TaskState | undefined {
  const last = parse(progress.lastStatus);
  return last?.state;
}

/** True when a status event of the agent says again what it said last. */
export function isRepeatedEvent(delegation: Delegation, status: TaskStatus): boolean {
  const last = parse(delegation.progress.lastStatus);
  if (!last || last.content !== contentHash(status)) return false;
  return last.state === status.state && (!last.answered || delegation.state === 'queued');
}

/**
 * True when the status in a whole task is the one shown already: said again, or left without its
 * message (agents need not store it), or from before the client's answer (then also its time is).
 */
export function isKnownStatus(delegation: Delegation, status: TaskStatus): boolean {
  const last = parse(delegation.progress.lastStatus);
  if (!last || last.state !== status.state) return false;
  if (status.message && last.content !== contentHash(status)) return false;
  return !last.answered || last.timestamp === (status.timestamp ?? '');
}

/** What was hashed, but for its parts. */
interface Hashed extends Pick<Message, 'messageId' | 'metadata'> {
  readonly key: string;
}

/**
 * By the parts of a message: one status is compared and then kept, may be large, and each decision may make the message
 * around the parts anew. They do not change.
 */
const hashes = new WeakMap<Message['parts'], Hashed>();

/** A decision reads the hash of a long message that {@link hashInTurns} has not made yet. */
export class UnhashedMessageError extends Error {
  override readonly name = 'UnhashedMessageError';

  constructor(readonly unhashed: Message) {
    super('the hash of a long message is not known');
  }
}

/** Makes the hash of a long message in turns of the event loop, for decisions that read it. */
export async function hashInTurns(message: Message): Promise<void> {
  const digest = createHash('sha256');
  const content = withLateBytes(() => contentOf(message));
  await canonicalInTurns(content, (piece) => void digest.update(piece));
  keep(message, digest.digest('base64url'));
}

function contentHash({ message }: TaskStatus): string {
  if (!message) return '';
  const { parts, messageId, metadata } = message;
  const known = hashes.get(parts);
  if (known?.messageId === messageId && known.metadata === metadata) return known.key;
  if (isLong(message)) throw new UnhashedMessageError(message);
  return keep(message, hash('sha256', canonicalJson(contentOf(message)), 'base64url'));
}

function keep({ parts, messageId, metadata }: Message, digest: string): string {
  const key = digest.slice(0, 22);
  hashes.set(parts, { messageId, metadata, key });
  return key;
}

function contentOf({ messageId, parts, metadata }: Message): unknown {
  return [messageId, parts.map((part) => Part.toJSON(part)), metadata ?? null];
}

function parse(key: string | undefined): StatusKey | undefined {
  if (key === undefined) return undefined;
  const answered = key.startsWith(ANSWERED);
  const [, state, content, timestamp] = /^(-?\d+):([^@]*)@(.*)$/s.exec(
    answered ? key.slice(ANSWERED.length) : key,
  ) ?? ['', '', '', ''];
  return { answered, state: Number(state), content: content ?? '', timestamp: timestamp ?? '' };
}
