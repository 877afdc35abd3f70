import type { Schema } from '../api/client';
import { counted } from './lists';

/** What of a route tells which agents fit that the caller may not use. */
export type Exclusions = Pick<
  Schema<'RouteDto'>,
  'excluded' | 'moreExcluded' | 'excludedElsewhere' | 'isExcludedPartial'
>;

/** What is known of them beside who they are: a sentence each. */
export function exclusionNotes({ excludedElsewhere, isExcludedPartial }: Exclusions): string[] {
  const notes: string[] = [];
  if (excludedElsewhere) {
    const are = excludedElsewhere === 1 ? 'is' : 'are';
    notes.push(
      `${counted(excludedElsewhere, 'agent')} that would fit ${are} restricted to other organizations.`,
    );
  }
  if (isExcludedPartial)
    notes.push('Not every agent that this caller cannot use was looked at: more may fit.');
  return notes;
}

const ALONE: Readonly<Partial<Record<Schema<'RouteDto'>['reason'], string>>> = {
  agent: 'The client named the agent: no others were compared.',
  skill: 'No other agent that the caller may use has that skill.',
  tags: 'No other agent that the caller may use has those tags.',
  rule: 'A rule decided: agents that it does not name were not compared. Words or tags may fit others as well.',
};

/** What to say of a route by which no agent was passed over. */
export function nonePassedOver({ reason }: Pick<Schema<'RouteDto'>, 'reason'>): string {
  return (
    ALONE[reason] ??
    'No other agent that the caller may use fits. Those that do not fit are not listed.'
  );
}
