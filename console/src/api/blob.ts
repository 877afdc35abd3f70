import { authenticationHeaders } from './credential';
import { hubUrl } from './place';
import { problemOf } from './problem';
import { noteSessionEnd } from './session-end';

/** Reads an answer of any size, with the same authentication as every request. `onBytes` hears how much has come. */
export async function readBlob(
  path: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Blob> {
  const response = await fetch(hubUrl(path), { headers: authenticationHeaders(), signal });
  noteSessionEnd(response);
  if (!response.ok || response.body === null) throw await problemOf(response);
  const chunks: BlobPart[] = [];
  let bytes = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(chunks);
    chunks.push(value);
    bytes += value.length;
    onBytes(bytes);
  }
}
