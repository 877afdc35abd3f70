import {
  type A2ARequestHandler,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type ServerCallContext,
} from '@a2a-js/sdk/server';
import express from 'express';

import { currentCard, legacyCard } from './agent-cards.js';
import { grpcBinding, httpBindings } from './agent-bindings.js';
import type { AskedOperation, RunningAgent, SdkAgentOptions } from './agent-options.js';
import { type AgentTurn, TurnExecutor } from './agent-turn.js';
import { listenOnLoopback } from './http-listener.js';

export type { AgentBinding, RunningAgent, SdkAgentOptions } from './agent-options.js';
export { AgentTurn, textOf, textPart } from './agent-turn.js';

/** Starts a real agent on the SDK's servers, each binding on a free port. */
export async function startSdkAgent(options: SdkAgentOptions = {}): Promise<RunningAgent> {
  const version = options.version ?? '1.0';
  const bindings = [options.binding ?? 'JSONRPC'].flat();
  const executor = new TurnExecutor(options.execute ?? echo);
  const app = express();
  const { url, port, close } = await listenOnLoopback(app);
  const grpc = bindings.includes('GRPC') ? await grpcBinding({ ...options, version }) : undefined;
  const card = currentCard(bindings, { http: url, grpc: grpc?.address ?? '' }, options);
  const tasks = new ForgetfulTaskStore();
  const asked: RunningAgent['asked'] = [];
  const handler = noting(
    new DefaultRequestHandler(card, tasks, executor),
    (operation) => void asked.push(operation),
  );
  const calls: RunningAgent['calls'] = [];
  app.get('/.well-known/agent-card.json', (_request, response) => {
    response.json(version === '0.3' ? legacyCard(card) : card);
  });
  app.use(httpBindings(handler, { ...options, version }, bindings, (call) => calls.push(call)));
  grpc?.serve(handler);
  return {
    url,
    port,
    calls,
    asked,
    turns: executor.turns,
    forget: () => (tasks.isGone = true),
    close: async () => {
      for (const turn of executor.turns) turn.canceled.abort();
      grpc?.close();
      await close();
    },
  };
}

/** One that can lose all it has and gets. */
class ForgetfulTaskStore extends InMemoryTaskStore {
  isGone = false;

  override load(...args: Parameters<InMemoryTaskStore['load']>) {
    return this.isGone ? Promise.resolve(undefined) : super.load(...args);
  }
}

/** The handler, whose operations are told before they are done. */
function noting(
  handler: A2ARequestHandler,
  note: (operation: AskedOperation) => void,
): A2ARequestHandler {
  return new Proxy(handler, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (params: unknown, context?: ServerCallContext, ...others: unknown[]): unknown => {
        const user = context?.user?.userName ?? '';
        if (context !== undefined) note({ operation: String(name), user, params });
        return Reflect.apply(member, target, [params, context, ...others]);
      };
    },
  });
}

function echo(turn: AgentTurn): void {
  turn.task().working().artifact('echo', `echo: ${turn.text}`).complete();
}
