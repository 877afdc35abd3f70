import { isRecord } from '../../common/is-record.js';
import type { Artifact, Message, Part, StreamResponse, Task } from '../../protocol/a2a.js';

/** What the SDK leaves out of one answer or event. */
interface Left {
  readonly append: boolean;
  /** Artifacts as the agent wrote them, by their id. */
  readonly artifacts: ReadonlyMap<unknown, Fields>;
  /** Messages likewise. */
  readonly messages: ReadonlyMap<unknown, Fields>;
}

type Fields = Readonly<Record<string, unknown>>;

const NOTHING: Left = { append: false, artifacts: new Map(), messages: new Map() };

/**
 * Puts back what the SDK leaves out when it translates the answers of one 0.3 call over HTTP+JSON or gRPC:
 * `append` of artifact updates (every chunk would replace the one before), `extensions` of artifacts, and
 * the file name and metadata of parts, which ProtoJSON has and gRPC has not. Each answer that was noted
 * comes out as one, in the same order.
 */
export class LegacyRemainder {
  private readonly noted: Left[] = [];

  /** Notes an answer of the agent before the SDK reads it: ProtoJSON, or as the gRPC service decodes it. */
  note(answer: unknown): void {
    this.noted.push(leftIn(answer));
  }

  /** The answer of a call that gives one. */
  restored<Answer extends Message | Task>(answer: Answer): Answer {
    const left = this.noted.shift() ?? NOTHING;
    if ('artifacts' in answer) restoreTask(answer, left);
    else restoreMessage(answer, left);
    return answer;
  }

  /** The events of a call that gives a stream. */
  async *events(
    events: AsyncIterable<StreamResponse>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    for await (const event of events) {
      restoreEvent(event, this.noted.shift() ?? NOTHING);
      yield event;
    }
  }
}

function restoreEvent({ payload }: StreamResponse, left: Left): void {
  switch (payload?.$case) {
    case 'task':
      return restoreTask(payload.value, left);
    case 'message':
      return restoreMessage(payload.value, left);
    case 'statusUpdate':
      return restoreMessage(payload.value.status?.message, left);
    case 'artifactUpdate':
      payload.value.append = left.append;
      return restoreArtifact(payload.value.artifact, left);
    case undefined:
      return;
  }
}

function restoreTask({ artifacts, history, status }: Task, left: Left): void {
  for (const artifact of artifacts) restoreArtifact(artifact, left);
  for (const message of [status?.message, ...history]) restoreMessage(message, left);
}

function restoreArtifact(artifact: Artifact | undefined, left: Left): void {
  const written = left.artifacts.get(artifact?.artifactId);
  if (artifact === undefined || written === undefined) return;
  const { extensions, parts } = written;
  if (Array.isArray(extensions) && extensions.every((uri) => typeof uri === 'string')) {
    artifact.extensions = [...extensions];
  }
  restoreParts(artifact.parts, parts);
}

function restoreMessage(message: Message | undefined, left: Left): void {
  const written = left.messages.get(message?.messageId);
  if (message === undefined || written === undefined) return;
  restoreParts(message.parts, written['content'] ?? written['parts']);
}

function restoreParts(parts: readonly Part[], written: unknown): void {
  if (!Array.isArray(written) || written.length !== parts.length) return;
  for (const [index, part] of parts.entries()) {
    const one: unknown = written[index];
    if (!isRecord(one)) continue;
    const { file, metadata } = one;
    if (isRecord(file) && typeof file['name'] === 'string') part.filename = file['name'];
    if (isRecord(metadata)) part.metadata = { ...metadata };
  }
}

function leftIn(answer: unknown): Left {
  if (!isRecord(answer)) return NOTHING;
  const { payload } = answer;
  const update = answer['artifactUpdate'] ?? answer['artifact_update'];
  const decoded = isRecord(payload) ? payload['value'] : undefined;
  const holders = [
    answer,
    decoded,
    update,
    answer['statusUpdate'] ?? answer['status_update'],
    answer['task'],
    answer['message'] ?? answer['msg'],
  ].filter(isRecord);
  return {
    append: [decoded, update].some((one) => isRecord(one) && one['append'] === true),
    artifacts: byId(holders.flatMap(artifactsIn), 'artifactId', 'artifact_id'),
    messages: byId(holders.flatMap(messagesIn), 'messageId', 'message_id'),
  };
}

function artifactsIn({ artifact, artifacts }: Fields): unknown[] {
  return [artifact, ...listOf(artifacts)];
}

function messagesIn(holder: Fields): unknown[] {
  const { status, history } = holder;
  // The field of a status is `update`, its JSON name is `message`: ProtoJSON takes both.
  const said = isRecord(status) ? [status['message'] ?? status['update']] : [];
  return [holder, ...said, ...listOf(history)];
}

function byId(written: readonly unknown[], ...names: string[]): ReadonlyMap<unknown, Fields> {
  return new Map(
    written
      .filter(isRecord)
      .map((one) => [names.map((name) => one[name]).find((id) => id !== undefined), one] as const)
      .filter(([id]) => id !== undefined),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
