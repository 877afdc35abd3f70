import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import type { SecretReference } from '../../common/secret-references/secret-reference.js';
import { MAX_SECRET, memberOf, type SecretSource, SourceError } from './secret-source.js';

/** How often a file that is in use is looked at: two system calls. */
const LOOK_MS = 1000;

interface ReadFile {
  readonly stamp: string;
  readonly text: string;
}

/**
 * Secrets in files. A file is read again when another one is in its place, also behind links that are turned to another
 * directory, as Kubernetes does with mounted Secrets.
 */
export class FileSource implements SecretSource {
  readonly freshMs = LOOK_MS;
  private readonly files = new Map<string, ReadFile>();

  /** `refusalOf` says why a file must not be read, by the path at which it really is. */
  constructor(private readonly refusalOf: (path: string) => string | undefined = () => undefined) {}

  async read({ path, member }: SecretReference): Promise<string> {
    const { text } = await this.file(path);
    // It may be half written.
    return memberOf(text, member, 'away');
  }

  private async file(path: string): Promise<ReadFile> {
    try {
      const real = await realpath(path);
      const refusal = this.refusalOf(real);
      if (refusal !== undefined) throw new SourceError('refused', refusal);
      const known = this.files.get(path);
      if (known?.stamp === stampOf(real, await stat(real, { bigint: true }))) return known;
      const read = await contentOf(real);
      this.files.set(path, read);
      return read;
    } catch (error) {
      this.files.delete(path);
      throw troubleOf(error);
    }
  }
}

async function contentOf(path: string): Promise<ReadFile> {
  // Without waiting for somebody to write, should it be a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) throw new SourceError('gone', 'is not a file');
    return { stamp: stampOf(path, stats), text: textOf(await firstBytes(file)) };
  } finally {
    await file.close();
  }
}

async function firstBytes(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.alloc(MAX_SECRET + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > MAX_SECRET) throw new SourceError('gone', `has more than ${MAX_SECRET} bytes`);
  return buffer.subarray(0, length);
}

function textOf(bytes: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
    if (text === '') throw new SourceError('away', 'is empty');
    return text;
  } catch (error) {
    if (error instanceof SourceError) throw error;
    // As a file is whose last character is half written.
    throw new SourceError('away', 'is not text (UTF-8)');
  }
}

function stampOf(
  path: string,
  { mtimeNs, ino, dev, size }: { mtimeNs: bigint; ino: bigint; dev: bigint; size: bigint },
): string {
  return `${path} ${dev} ${ino} ${mtimeNs} ${size}`;
}

function troubleOf(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new SourceError('gone', 'is not there; is it mounted for this process?');
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new SourceError('gone', 'may not be read by the user the hub runs as');
  }
  return new SourceError('away', `cannot be read (${code})`);
}
