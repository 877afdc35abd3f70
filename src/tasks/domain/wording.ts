import type { Message, Part } from '../../protocol/a2a.js';
import { textOf, textPart } from '../../protocol/build.js';
import type { Delegation } from '../task.js';
import { shortReason } from './delegation-state.js';

const END_WORDS: Readonly<Partial<Record<Delegation['state'], string>>> = {
  canceled: 'was canceled',
  rejected: 'rejected the task',
  skipped: 'was not asked',
};

/** How a delegation ended, as a clause: `Agent A failed (out of memory)`. */
export function describeEnd({
  agentName,
  state,
  reason,
}: Pick<Delegation, 'agentName' | 'state' | 'reason'>): string {
  return `${agentName} ${END_WORDS[state] ?? state}${inBrackets(reason)}`;
}

/** `Agent A waits for input.` for each that waits; empty when none does. */
export function waitingText(waiting: readonly Delegation[]): string {
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

/** `1.5 s`: to a tenth of a second. */
export function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

/** A message's parts with the agent's name before the first text. */
export function namedParts(
  agentName: string,
  message: Message | undefined,
  fallback: string,
): Part[] {
  if (!message || message.parts.length === 0) return [textPart(`${agentName} ${fallback}`)];
  const [first, ...rest] = message.parts;
  if (first?.content?.$case !== 'text') return [textPart(`${agentName}:`), ...message.parts];
  const value = `${agentName}: ${first.content.value}`;
  return [{ ...first, content: { $case: 'text', value } }, ...rest];
}

/** The parts as the agent said them, of those that {@link namedParts} has made. */
export function unnamedParts(agentName: string, parts: readonly Part[]): Part[] {
  const [first, ...rest] = parts;
  if (first?.content?.$case !== 'text') return [];
  const { value } = first.content;
  if (value === `${agentName}:`) return rest;
  const name = `${agentName}: `;
  if (!value.startsWith(name)) return [];
  return [{ ...first, content: { $case: 'text', value: value.slice(name.length) } }, ...rest];
}

/** What a status says in one line, for the delegation's reason; null when it says nothing. */
export function reasonOf(message: Message | undefined): string | null {
  const text = textOf(message).trim();
  return text === '' ? null : shortReason(text);
}
