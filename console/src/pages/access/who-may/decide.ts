import { client, type Schema } from '../../../api/client';
import type { Bar } from './bar';

/** Questions that are asked of the hub at once. */
const AT_ONCE = 4;

export type Decision = Schema<'PolicyDecisionDto'>;
export type Caller = Schema<'PolicyCallerDto'>;

/** Who asks whom for what. */
export interface Question {
  readonly key: string;
  /** In words: the caller, or the agent and the skill. */
  readonly label: string;
  /** The id of the caller, where its name is shown. */
  readonly title?: string;
  readonly caller: Partial<Caller>;
  readonly agentId: string;
  readonly skillId?: string | undefined;
  /** What keeps the caller from calling at all, whatever the policies say. */
  readonly bar?: Bar | undefined;
  /** It has no valid key or sign-in at present. */
  readonly isKeyless?: boolean;
}

/** Asks the policies, without anything being done. */
export async function decide(
  { caller, agentId, skillId }: Question,
  signal: AbortSignal,
): Promise<Decision> {
  const { data } = await client.POST('/api/v1/policies:dry-run', {
    body: {
      caller: caller,
      operation: 'SendMessage',
      agentId,
      ...(skillId === undefined ? { eachSkill: true } : { skillId }),
    },
    signal,
  });
  return data!;
}

/** Asks all of them, some at a time; `onDecided` hears each answer as it comes. */
export async function decideAll(
  questions: readonly Question[],
  onDecided: (key: string, decision: Decision) => void,
  signal: AbortSignal,
): Promise<void> {
  const waiting = [...questions];
  const work = async () => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      onDecided(next.key, await decide(next, signal));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** In which ways an agent may be called. */
export type Reach = 'may' | 'may in part' | 'by skill only' | 'may not';

/** By its name, by some or all of its skills, or not at all; of a question about one skill, whether that may be. */
export function reachOf({ decision, skills }: Decision): Reach {
  const open = openSkills(skills).length;
  if (decision === 'deny') return open > 0 ? 'by skill only' : 'may not';
  return open < (skills?.length ?? 0) ? 'may in part' : 'may';
}

/** The ids of the skills that may be named. */
export function openSkills(skills: Decision['skills']): readonly string[] {
  return (skills ?? []).flatMap(({ skillId, decision }) => (decision === 'allow' ? [skillId] : []));
}
