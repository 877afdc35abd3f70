import { base64Of } from '../../common/json-in-turns.js';
import { LONG, longTurn } from '../../common/long-work.js';
import type { Message, Part, StreamResponse, Task } from '../../protocol/a2a.js';
import { partsIn } from '../../protocol/part-bytes.js';

/** How a server of 0.3 over HTTP+JSON or gRPC has the bytes of files: as they are, or as their base64 text. */
export type FileForm = 'once' | 'twice';

/** Of a text whose length is a multiple of four, and of its end. */
const BASE64 = /^[A-Za-z0-9+/]*$/;
const BASE64_END = /^[A-Za-z0-9+/]*={0,2}$/;
/** Bytes that are worked on at a time; the text of them is four bytes for three. */
const PIECE_BYTES = 3 * 256 * 1024;
const PIECE_TEXT = (PIECE_BYTES / 3) * 4;
const NO_TASK = 'https://a2a-protocol.org/errors/task-not-found';

/**
 * What the refusal of a task that does not exist shows about the server: each of the SDKs for Python, Java and Go, which
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
    const parts: Part[] = [];
    for (const part of message.parts) parts.push(await asText(part));
    return { ...request, message: { ...message, parts } };
  }

  /** What the server has answered, changed in place. */
  async read<Answer extends Message | Task>(answer: Answer): Promise<Answer> {
    await this.restore(partsOf(answer));
    return answer;
  }

  async *events(
    events: AsyncIterable<StreamResponse>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    for await (const event of events) {
      await this.restore(partsOf(event.payload?.value));
      yield event;
    }
  }

  private async restore(parts: readonly Part[]): Promise<void> {
    const files = parts.filter(isFile);
    if (files.length === 0 || !(await this.isTwice())) return;
    for (const { content } of files) {
      if (content?.$case === 'raw') content.value = await fromText(content.value);
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

async function asText(part: Part): Promise<Part> {
  if (part.content?.$case !== 'raw') return part;
  const bytes = part.content.value;
  const value = Buffer.alloc(Math.ceil(bytes.length / 3) * 4);
  for (let from = 0, to = 0; from < bytes.length; from += PIECE_BYTES) {
    if (bytes.length > LONG) await longTurn();
    to += value.write(base64Of(bytes.subarray(from, from + PIECE_BYTES)), to, 'latin1');
  }
  return { ...part, content: { $case: 'raw', value } };
}

/** What the base64 text means; bytes that are none stay. */
async function fromText(text: Uint8Array): Promise<Buffer> {
  const asItIs = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  if (text.length % 4 !== 0) return asItIs;
  const bytes = Buffer.alloc((text.length / 4) * 3);
  let to = 0;
  for (let from = 0; from < text.length; from += PIECE_TEXT) {
    if (text.length > LONG) await longTurn();
    const piece = asItIs.toString('latin1', from, Math.min(from + PIECE_TEXT, text.length));
    const isLast = from + PIECE_TEXT >= text.length;
    if (!(isLast ? BASE64_END : BASE64).test(piece)) return asItIs;
    to += bytes.write(piece, to, 'base64');
  }
  return bytes.subarray(0, to);
}

/** They are typed, so that what is found are parts. */
function partsOf(answer: unknown): readonly Part[] {
  return partsIn(answer) as Part[];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
