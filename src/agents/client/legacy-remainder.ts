import type { Artifact, Message, StreamResponse, Task } from '../../protocol/a2a.js';

/** What the SDK leaves out of one answer or event. */
interface Left {
  readonly append: boolean;
  /** Of artifacts, by their id. */
  readonly extensions: ReadonlyMap<unknown, readonly string[]>;
}

type Fields = Readonly<Record<string, unknown>>;

const NOTHING: Left = { append: false, extensions: new Map() };

/**
 * Puts back what the SDK leaves out when it translates the answers of one 0.3 call over HTTP+JSON or gRPC:
 * `append` of artifact updates (every chunk would replace the one before) and `extensions` of artifacts.
 * Each answer that was noted comes out as one, in the same order.
 */
export class LegacyRemainder {
  private readonly noted: Left[] = [];

  /** Notes an answer of the agent before the SDK reads it: ProtoJSON, or as the gRPC service decodes it. */
  note(answer: unknown): void {
    this.noted.push(leftIn(answer));
  }

  /** The answer of a call that gives one. */
  restored<Answer extends Message | Task>(answer: Answer): Answer {
    const { extensions } = this.noted.shift() ?? NOTHING;
    if ('artifacts' in answer) for (const one of answer.artifacts) restore(one, extensions);
    return answer;
  }

  /** The events of a call that gives a stream. */
  async *events(
    events: AsyncIterable<StreamResponse>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    for await (const event of events) {
      const { append, extensions } = this.noted.shift() ?? NOTHING;
      const { payload } = event;
      if (payload?.$case === 'artifactUpdate') {
        payload.value.append = append;
        restore(payload.value.artifact, extensions);
      }
      if (payload?.$case === 'task') {
        for (const one of payload.value.artifacts) restore(one, extensions);
      }
      yield event;
    }
  }
}

function restore(artifact: Artifact | undefined, extensions: Left['extensions']): void {
  const written = extensions.get(artifact?.artifactId);
  if (artifact && written) artifact.extensions = [...written];
}

function leftIn(answer: unknown): Left {
  if (!isObject(answer)) return NOTHING;
  const { payload } = answer;
  const held = isObject(payload) ? payload['value'] : undefined;
  const update = held ?? answer['artifactUpdate'] ?? answer['artifact_update'];
  const task = held ?? answer['task'] ?? answer;
  const artifacts = [
    ...(isObject(update) ? [update['artifact']] : []),
    ...(isObject(task) && Array.isArray(task['artifacts']) ? (task['artifacts'] as unknown[]) : []),
  ];
  return {
    append: isObject(update) && update['append'] === true,
    extensions: new Map(artifacts.filter(isObject).flatMap(extensionsOf)),
  };
}

function extensionsOf(artifact: Fields): [unknown, readonly string[]][] {
  const { extensions } = artifact;
  if (!Array.isArray(extensions) || !extensions.every((uri) => typeof uri === 'string')) return [];
  return [[artifact['artifactId'] ?? artifact['artifact_id'], extensions]];
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
