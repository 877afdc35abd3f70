import { AgentCallError } from '../../agents/index.js';

/** The agent was not reached, or the connection broke: the next call may succeed. */
export function isTransient(error: unknown): boolean {
  const kind = error instanceof AgentCallError ? error.kind : undefined;
  return kind === 'unreachable' || kind === 'interrupted';
}
