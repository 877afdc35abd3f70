import type { IncomingHttpHeaders } from 'node:http';
import { Metadata } from '@grpc/grpc-js';

/** The metadata of a call, read like HTTP headers; binary entries are left out. */
export function headersOf(metadata: Metadata): IncomingHttpHeaders {
  const names = Object.keys(metadata.getMap()).filter((name) => !name.endsWith('-bin'));
  // `fromEntries`, as `__proto__` is a name that gRPC allows.
  return Object.fromEntries(
    names.map((name) => {
      const values = metadata.get(name).map(String);
      return [name, values.length === 1 ? values[0]! : values];
    }),
  );
}

export function metadataOf(headers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
  return metadata;
}
