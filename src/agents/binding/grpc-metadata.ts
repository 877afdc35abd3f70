import { invalidField } from '../../common/hub-error.js';

/**
 * Why an HTTP header cannot be sent as gRPC metadata; undefined when it can. gRPC
 * has fewer names and characters than HTTP, keeps `grpc-` for itself, and takes `-bin` for bytes.
 */
export function metadataFault(name: string, value: string): string | undefined {
  if (!/^[0-9a-z_.-]+$/.test(name)) return 'is not a name of gRPC metadata';
  if (name.startsWith('grpc-')) return 'is reserved by gRPC';
  if (name.endsWith('-bin')) return 'is binary in gRPC, which the hub does not send';
  return /^[\x20-\x7e]*$/.test(value) ? undefined : 'must be printable ASCII for gRPC';
}

/** Throws HubError INVALID_PARAMS naming the header that gRPC could not carry. */
export function checkMetadata(field: string, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const fault = metadataFault(name, value);
    if (fault !== undefined) throw invalidField(`${field}.${name}`, fault);
  }
}
