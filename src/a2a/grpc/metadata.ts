import type { IncomingHttpHeaders } from 'node:http';
import { Metadata } from '@grpc/grpc-js';

/** The metadata of a call, read like HTTP headers; binary entries are left out. */
export function headersOf(metadata: Metadata): IncomingHttpHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const key of Object.keys(metadata.getMap())) {
    if (key.endsWith('-bin')) continue;
    const values = metadata.get(key).map(String);
    headers[key] = values.length === 1 ? values[0]! : values;
  }
  return headers;
}

export function metadataOf(headers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
  return metadata;
}
