import type { ClientReadableStream, MethodDefinition } from '@grpc/grpc-js';
import { service } from 'grpc-health-check';
import type { GrpcClient } from './grpc-client.js';

interface HealthAnswer {
  readonly status: string;
}
type HealthMethod = MethodDefinition<{ readonly service: string }, HealthAnswer>;

const { Check, Watch } = service as unknown as { Check: HealthMethod; Watch: HealthMethod };

export const SERVING = 'SERVING';
export const NOT_SERVING = 'NOT_SERVING';

/** The status of a service by the standard health service; '' is the whole server. */
export async function checkHealth(client: GrpcClient, name = ''): Promise<string> {
  return (await client.call(Check, { service: name })).status;
}

/** Watches the status of a service. */
export function watchHealth(client: GrpcClient, name = ''): ClientReadableStream<HealthAnswer> {
  return client.stream(Watch, { service: name });
}
