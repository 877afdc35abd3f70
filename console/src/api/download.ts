import { authenticationHeaders } from './credential';
import { hubUrl } from './place';
import { problemOf } from './problem';

/**
 * Saves an answer of the hub as a file of the browser, with the same authentication as every request. `onBytes` hears
 * how much has come.
 */
export async function download(
  path: string,
  filename: string,
  {
    signal,
    onBytes,
  }: { readonly signal?: AbortSignal; readonly onBytes?: (bytes: number) => void },
): Promise<void> {
  const response = await fetch(hubUrl(path), {
    headers: authenticationHeaders(),
    ...(signal && { signal }),
  });
  if (!response.ok || response.body === null) throw await problemOf(response);
  const chunks: BlobPart[] = [];
  let bytes = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.length;
    onBytes?.(bytes);
  }
  const url = URL.createObjectURL(new Blob(chunks, { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
  URL.revokeObjectURL(url);
}
