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
