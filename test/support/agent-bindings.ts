import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { legacyRestRouter } from '@a2a-js/sdk/compat/v0_3/server/express';
import { jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { type Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import express, { type Router } from 'express';
import { REST_PATH } from './agent-cards.js';
import type { AgentBinding, AgentVersion, RunningAgent, SdkAgentOptions } from './agent-options.js';
import type { JsonObject } from './json.js';

/** Who calls, by the `Authorization` of the call; nobody, of an agent that knows no users. */
class CallingUser {
  readonly isAuthenticated = true;
  constructor(readonly userName: string) {}
}

const nobody = (): ReturnType<typeof UserBuilder.noAuthentication> =>
  UserBuilder.noAuthentication();

type ServerOptions = Pick<SdkAgentOptions, 'hasUsers'> & { readonly version: AgentVersion };

/** The SDK's HTTP servers for these bindings: HTTP+JSON below {@link REST_PATH}, JSON-RPC elsewhere. */
export function httpBindings(
  requestHandler: A2ARequestHandler,
  { version, hasUsers = false }: ServerOptions,
  bindings: readonly AgentBinding[],
  called: (call: RunningAgent['calls'][number]) => void,
): Router {
  const router = express.Router();
  const legacyCompat = { enabled: version !== '1.0' };
  const userBuilder = hasUsers
    ? ({ headers }: express.Request) =>
        Promise.resolve(new CallingUser(headers.authorization ?? ''))
    : nobody;
  if (bindings.includes('HTTP+JSON')) {
    const options = { requestHandler, userBuilder, legacyCompat };
    router.use(REST_PATH, version === '0.3' ? legacyRestRouter(options) : restHandler(options));
  }
  if (!bindings.includes('JSONRPC')) return router;
  router.use(express.json({ limit: '32mb' }), (request, _response, next) => {
    const body = request.body as JsonObject | undefined;
    if (body?.method) called({ method: String(body.method), body, headers: request.headers });
    next();
  });
  router.use(jsonRpcHandler({ requestHandler, userBuilder, legacyCompat }));
  return router;
}

/** A gRPC port of the loopback interface whose services come once the card has its address. */
export interface GrpcBinding {
  /** `host:port`. */
  readonly address: string;
  serve(requestHandler: A2ARequestHandler): void;
  close(): void;
}

/** Binds a free port for the SDK's gRPC services of this version. */
export async function grpcBinding({
  version,
  hasUsers = false,
}: ServerOptions): Promise<GrpcBinding> {
  const server = new Server();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    address: `127.0.0.1:${port}`,
    serve(requestHandler) {
      const userBuilder = hasUsers
        ? ({ metadata }: { metadata: Metadata }) =>
            Promise.resolve(new CallingUser(String(metadata.get('authorization')[0] ?? '')))
        : nobody;
      const options = { requestHandler, userBuilder };
      if (version !== '0.3') server.addService(A2AService, grpcService(options));
      if (version !== '1.0') server.addService(LegacyA2AService, legacyGrpcService(options));
    },
    close: () => server.forceShutdown(),
  };
}
