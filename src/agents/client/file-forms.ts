import type { Message, Part, StreamResponse, Task } from '../../protocol/a2a.js';

/** How a server of 0.3 over HTTP+JSON or gRPC has the bytes of files: as they are, or as their base64 text. */
export type FileForm = 'once' | 'twice';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const NO_TASK = 'https://a2a-protocol.org/errors/task-not-found';

/**
 * What the refusal of a task that nobody has tells of the server: each of the SDKs for Python, Java and Go, which
 * take the text of 0.3 for the bytes, says it in a way of its own. Over HTTP+JSON that is the body. Anybody else is
 * taken at its word.
 */
export function formOfRefusal(body: string): FileForm {
  const json = parsed(body);
  if (typeof json !== 'object' || json === null) return 'once';
  const { message, error, type, timestamp } = json as Record<string, unknown>;
  const isPython = Object.keys(json).length === 1 && message === 'Task not found';
  const isJava = typeof error === 'string' && /\.TaskNotFoundError(_v0_3)?$/.test(error);
  const isGo = type === NO_TASK && typeof timestamp === 'string';
  return isPython || isJava || isGo ? 'twice' : 'once';
}

/** Likewise of the status that a call over gRPC ends with, as `NOT_FOUND: …`. */
export function formOfStatus(said: string): FileForm {
  const isPythonOrJava = /\bNOT_FOUND: TaskNotFoundError: /.test(said);
  const isGo = /\bNOT_FOUND: (.*: )?task not found\b/.test(said);
  return isPythonOrJava || isGo ? 'twice' : 'once';
}

/** Files on their way to a server and from it. `form` is asked for only where there are any. */
export class FileBytes {
  private known: FileForm | undefined;

  constructor(private readonly form: () => Promise<FileForm>) {}

  /** The message as the server is to get it. */
  async sent<T extends { readonly message?: Message | undefined }>(request: T): Promise<T> {
    const { message } = request;
    if (message === undefined || !message.parts.some(isFile) || !(await this.isTwice())) {
      return request;
    }
    return { ...request, message: { ...message, parts: message.parts.map(asText) } };
  }

  /** What the server has answered, changed in place. */
  async read<Answer extends Message | Task>(answer: Answer): Promise<Answer> {
    await this.restore('artifacts' in answer ? partsOf(answer) : answer.parts);
    return answer;
  }

  async *events(
    events: AsyncIterable<StreamResponse>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    for await (const event of events) {
      await this.restore(partsIn(event));
      yield event;
    }
  }

  private async restore(parts: readonly Part[]): Promise<void> {
    const files = parts.filter(isFile);
    if (files.length === 0 || !(await this.isTwice())) return;
    for (const { content } of files) {
      if (content?.$case === 'raw') content.value = fromText(content.value);
    }
  }

  private async isTwice(): Promise<boolean> {
    this.known ??= await this.form();
    return this.known === 'twice';
  }
}

function isFile({ content }: Part): boolean {
  return content?.$case === 'raw';
}

function asText(part: Part): Part {
  if (part.content?.$case !== 'raw') return part;
  const value = Buffer.from(Buffer.from(part.content.value).toString('base64'), 'latin1');
  return { ...part, content: { $case: 'raw', value } };
}

/** What the base64 text means; bytes that are none stay. */
function fromText(bytes: Buffer): Buffer {
  const text = Buffer.from(bytes).toString('latin1');
  return BASE64.test(text) ? Buffer.from(text, 'base64') : bytes;
}

function partsIn({ payload }: StreamResponse): readonly Part[] {
  switch (payload?.$case) {
    case 'task':
      return partsOf(payload.value);
    case 'message':
      return payload.value.parts;
    case 'statusUpdate':
      return payload.value.status?.message?.parts ?? [];
    case 'artifactUpdate':
      return payload.value.artifact?.parts ?? [];
    case undefined:
      return [];
  }
}

function partsOf({ artifacts, history, status }: Task): readonly Part[] {
  const said = status?.message === undefined ? [] : [status.message];
  return [...artifacts, ...history, ...said].flatMap(({ parts }) => parts);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
