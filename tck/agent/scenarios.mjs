// What the agent does with a message, chosen by the beginning of its messageId. The kit of A2A 1.0
// marks each of its messages `tck-…`; the older kits use `test-…` and the like, and only want a task
// that can be continued and canceled.
import { randomUUID } from 'node:crypto';
import { dataPart, filePart, fileUrlPart, textPart } from './messages.mjs';

const FILE = { bytes: Buffer.from('tck'), name: 'output.txt', mediaType: 'text/plain' };

/** Working, one artifact, completed. */
const streamed = (part) => (turn) => void turn.task().working().artifact(part).complete();

/** One artifact, completed. */
const produced = (part) => (turn) => void turn.task().artifact(part).complete();

const SCENARIOS = {
  'tck-': (turn) => void turn.task().complete(`Completed: ${turn.messageId}`),
  'tck-complete-task': (turn) => void turn.task().complete('Hello from TCK'),
  'tck-input-required': (turn) => void turn.task().askForInput(),
  'tck-reject-task': (turn) => void turn.task().reject('rejected'),
  'tck-message-response': (turn) => turn.message('Direct message response'),
  'tck-artifact-text': produced(textPart('Generated text content')),
  'tck-artifact-file': produced(filePart(FILE.bytes, FILE.name, FILE.mediaType)),
  'tck-artifact-file-url': produced(
    fileUrlPart('https://example.com/output.txt', FILE.name, FILE.mediaType),
  ),
  'tck-artifact-data': produced(dataPart({ key: 'value', count: 42 })),
  'tck-stream-001': streamed(textPart('Stream hello from TCK')),
  'tck-stream-002': (turn) => void turn.task().complete(),
  'tck-stream-003': streamed(textPart('Stream task lifecycle')),
  'tck-stream-ordering-001': streamed(textPart('Ordered output')),
  'tck-stream-artifact-text': streamed(textPart('Streamed text content')),
  'tck-stream-artifact-file': streamed(filePart(FILE.bytes, FILE.name, FILE.mediaType)),
  'tck-stream-artifact-chunked': (turn) => {
    const artifactId = randomUUID();
    turn
      .task()
      .working()
      .artifact(textPart('chunk-1 '), { artifactId, lastChunk: false })
      .artifact(textPart('chunk-2'), { artifactId, append: true })
      .complete();
  },
};

const BY_LENGTH = Object.keys(SCENARIOS).sort((one, other) => other.length - one.length);

/**
 * The scenario of a messageId: the longest prefix that fits, else a dialogue.
 * @param messageId - Chosen by the client.
 * @param times - `workMs`: how long a dialogue works before it asks; `longWorkMs`: how long one works
 *   that a client wants to subscribe to again.
 */
export function scenarioFor(messageId, { workMs, longWorkMs }) {
  const prefix = BY_LENGTH.find((candidate) => messageId.startsWith(candidate));
  if (prefix) return SCENARIOS[prefix];
  return dialogue(messageId.startsWith('test-resubscribe-message-id') ? longWorkMs : workMs);
}

/** Works for a while, then waits for the next message; never completes by itself. */
function dialogue(workMs) {
  return async (turn, canceled) => {
    turn.task().working();
    if (await passes(workMs, canceled)) turn.askForInput('What next?');
  };
}

/** Resolves with true after `ms`, with false as soon as the task is canceled. */
function passes(ms, canceled) {
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      canceled.removeEventListener('abort', stop);
      resolve(true);
    }, ms);
    if (canceled.aborted) stop();
    else canceled.addEventListener('abort', stop, { once: true });
  });
}
