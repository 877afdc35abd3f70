import { once } from 'node:events';
import express from 'express';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import {
  agentCardHandler,
  jsonRpcHandler,
  restHandler,
  UserBuilder,
} from '@a2a-js/sdk/server/express';
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { agentCard } from './card.mjs';
import { ScenarioExecutor } from './executor.mjs';
import { ReferenceRequestHandler } from './request-handler.mjs';

const HOST = '127.0.0.1';
/** The kits send messages of a megabyte; the SDK alone stops at a tenth of that. */
const BODY_LIMIT = '10mb';
const userBuilder = UserBuilder.noAuthentication;
const legacyCompat = { enabled: true };

/**
 * Starts the agent on free ports of the loopback.
 * @param options - `acceptClientTaskIds`, and the times of `scenarioFor`.
 * @returns Its origin, the address of each binding, and what ends it.
 */
export async function startAgent({ acceptClientTaskIds, ...times }) {
  const app = express();
  const http = app.listen(0, HOST);
  await once(http, 'listening');
  const grpc = new Server({ 'grpc.max_receive_message_length': 16 * 1024 * 1024 });
  const grpcPort = await bind(grpc);

  const url = `http://${HOST}:${http.address().port}`;
  const urls = { jsonRpc: `${url}/rpc`, rest: `${url}/rest`, grpc: `${HOST}:${grpcPort}` };
  const card = agentCard(urls);
  const requestHandler = new ReferenceRequestHandler(
    card,
    new ScenarioExecutor(times),
    acceptClientTaskIds,
  );

  addHttpBindings(app, requestHandler, card);
  grpc.addService(A2AService, grpcService({ requestHandler, userBuilder }));
  grpc.addService(LegacyA2AService, legacyGrpcService({ requestHandler, userBuilder }));
  return { url, ...urls, close: () => close(http, grpc) };
}

function addHttpBindings(app, requestHandler, card) {
  const started = new Date().toUTCString();
  app.use('/.well-known', stamped(started));
  // Clients of before 1.0 look here, and say nothing of their version.
  for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json'])
    app.use(path, agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
  // The card of 1.0 alone, for clients that check it against the closed schema of 1.0.
  app.use(
    '/1.0/.well-known/agent-card.json',
    stamped(started),
    agentCardHandler({ agentCardProvider: async () => card }),
  );
  app.use('/rpc', express.json({ limit: BODY_LIMIT }), plainJsonRpcErrors);
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder, legacyCompat }));
  app.use(
    '/rest',
    express.json({
      type: ['application/json', 'application/a2a+json'],
      strict: false,
      limit: BODY_LIMIT,
    }),
  );
  app.use('/rest', restHandler({ requestHandler, userBuilder, legacyCompat }));
}

function stamped(date) {
  return (_request, response, next) => {
    response.setHeader('Last-Modified', date);
    next();
  };
}

/** A body that is not JSON is a JSON-RPC error too. */
function plainJsonRpcErrors(error, _request, response, next) {
  if (!(error instanceof SyntaxError)) return next(error);
  response.json({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32700, message: 'Invalid JSON payload' },
  });
}

function bind(server) {
  return new Promise((resolve, reject) => {
    server.bindAsync(`${HOST}:0`, ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}

async function close(http, grpc) {
  grpc.forceShutdown();
  http.closeAllConnections();
  http.close();
  await once(http, 'close');
}
