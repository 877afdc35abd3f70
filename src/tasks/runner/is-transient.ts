import { AgentCallError } from '../../agents/index.js';

/** The agent did not hear the call, or broke off, and may hear the next one. */
export function isTransient(error: unknown): boolean {
  const kind = error instanceof AgentCallError ? error.kind : undefined;
  return kind === 'unreachable' || kind === 'interrupted';
}
