import { type AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import express from 'express';

import { type AgentBinding, type AgentVersion, currentCard, legacyCard } from './agent-cards.js';
import { grpcDoor, httpDoors } from './agent-doors.js';
import { type AgentTurn, TurnExecutor } from './agent-turn.js';
import { listenOnLoopback } from './http-listener.js';
import type { JsonObject } from './json.js';

export type { AgentBinding } from './agent-cards.js';
export { AgentTurn, textOf, textPart } from './agent-turn.js';
export { ScriptedAgent } from './scripted-agent.js';

/** A running agent as a test sees it. */
export interface RunningAgent {
  /** Where its card is found (origin). */
  readonly url: string;
  readonly port: number;
  /** JSON-RPC bodies it got, oldest first. */
  readonly calls: {
    readonly method: string;
    readonly body: JsonObject;
    readonly headers: NodeJS.Dict<string | string[]>;
  }[];
  /** Turns of the executor so far. */
  readonly turns: AgentTurn[];
  close(): Promise<void>;
}

export interface SdkAgentOptions {
  readonly name?: string;
  /** `1.0` (default), `0.3` (speaks and shows 0.3 only), or `both`. */
  readonly version?: AgentVersion;
  /** The bindings it speaks, in the card's order; default JSON-RPC alone. */
  readonly binding?: AgentBinding | readonly AgentBinding[];
  readonly streaming?: boolean;
  readonly skills?: readonly { id: string; name?: string; tags?: string[]; description?: string }[];
  /** What the agent does with a message; default: answers with an artifact that echoes the text. */
  readonly execute?: (turn: AgentTurn) => Promise<void> | void;
  readonly card?: Partial<AgentCard>;
}

/** Starts a real agent on the SDK's servers, each binding on a free port. */
export async function startSdkAgent(options: SdkAgentOptions = {}): Promise<RunningAgent> {
  const version = options.version ?? '1.0';
  const bindings = [options.binding ?? 'JSONRPC'].flat();
  const executor = new TurnExecutor(options.execute ?? echo);
  const app = express();
  const { url, port, close } = await listenOnLoopback(app);
  const grpc = bindings.includes('GRPC') ? await grpcDoor(version) : undefined;
  const card = currentCard(bindings, { http: url, grpc: grpc?.address ?? '' }, options);
  const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const calls: RunningAgent['calls'] = [];
  app.get('/.well-known/agent-card.json', (_request, response) => {
    response.json(version === '0.3' ? legacyCard(card) : card);
  });
  app.use(httpDoors(handler, version, bindings, (call) => calls.push(call)));
  grpc?.serve(handler);
  return {
    url,
    port,
    calls,
    turns: executor.turns,
    close: async () => {
      for (const turn of executor.turns) turn.canceled.abort();
      grpc?.close();
      await close();
    },
  };
}

function echo(turn: AgentTurn): void {
  turn.task().working().artifact('echo', `echo: ${turn.text}`).complete();
}
