import type { Delegation } from '../task.js';

/** Why a delegation or a task ended that its client has canceled. */
export const CANCELED_BY_CLIENT = 'Canceled by the client.';

const END_WORDS: Readonly<Partial<Record<Delegation['state'], string>>> = {
  canceled: 'was canceled',
  rejected: 'rejected the task',
  skipped: 'was not asked',
};

/** How a delegation ended, in words that stand in a sentence: `Agent A failed (out of memory)`. */
export function describeEnd({ agentName, state, reason }: Delegation): string {
  return `${agentName} ${END_WORDS[state] ?? state}${inBrackets(reason)}`;
}

/** `Agent A waits for input.` for each that waits; empty when nobody does. */
export function whoWaits(waiting: readonly Delegation[]): string {
  return waiting
    .map((each) => {
      const what = each.state === 'auth-required' ? 'authorization' : 'input';
      return `${each.agentName} waits for ${what}.`;
    })
    .join(' ');
}

/** ` (reason)` without its full stop; empty without a reason. */
export function inBrackets(reason: string | null | undefined): string {
  return reason ? ` (${reason.replace(/\.$/, '')})` : '';
}
