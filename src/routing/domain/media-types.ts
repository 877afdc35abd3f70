import type { AgentSkill, Message } from '../../protocol/a2a.js';
import type { RoutableAgent } from './agent-index.js';

/** The media types that a message brings and its sender takes back. */
export interface MediaTypes {
  readonly input: readonly string[];
  readonly output: readonly string[];
  /** They exclude; else they only order. */
  readonly isEnforced?: boolean;
}

/** How well an agent's modes suit a message: one sentence per mismatch. */
export interface MediaFit {
  /** 0 to 2: inputs all taken, and something acceptable given. */
  readonly score: number;
  readonly mismatches: readonly string[];
}

/** Kinds of parts that are looked at: each is compared with the modes of every skill. */
const MAX_INPUT_TYPES = 50;

/**
 * The media types of a message's parts, the first 50 there are. Text and data have one by nature; a file may
 * have none.
 */
export function inputTypesOf(message: Pick<Message, 'parts'>): string[] {
  const types = new Set(message.parts.map(mediaTypeOf).filter((type) => type !== ''));
  return [...types].slice(0, MAX_INPUT_TYPES);
}

/** The media type of a part; empty for a file that says none. */
export function mediaTypeOf({
  mediaType,
  content,
}: Pick<Message['parts'][number], 'mediaType' | 'content'>): string {
  if (mediaType !== '') return mediaType;
  if (content?.$case === 'text') return 'text/plain';
  return content?.$case === 'data' ? 'application/json' : '';
}

/** The score of who takes all that comes and gives what is wanted. */
export const FULL_FIT = 2;

/**
 * The skill's modes count where it has any, else the agent's; no modes at all suit everything. With
 * enforced types an agent taken without a skill is judged by the best of its skills, as it will choose
 * among them itself.
 */
export function mediaFit(
  agent: RoutableAgent,
  skill: AgentSkill | undefined,
  media: MediaTypes,
): MediaFit {
  const fit = fitOf(agent, skill, media);
  if (skill !== undefined || media.isEnforced !== true || fit.score === FULL_FIT) return fit;
  const { skills } = agent.card;
  return skills.map((each) => fitOf(agent, each, media)).find(isFull) ?? fit;
}

function isFull({ score }: MediaFit): boolean {
  return score === FULL_FIT;
}

function fitOf(
  agent: RoutableAgent,
  skill: AgentSkill | undefined,
  { input, output }: MediaTypes,
): MediaFit {
  const takes = skill?.inputModes.length ? skill.inputModes : agent.card.defaultInputModes;
  const gives = skill?.outputModes.length ? skill.outputModes : agent.card.defaultOutputModes;
  const refused = takes.length === 0 ? [] : input.filter((type) => !accepts(takes, type));
  const gets =
    output.length === 0 || gives.length === 0 || gives.some((type) => accepts(output, type));
  const mismatches = [
    ...(refused.length > 0 ? [`Does not list ${refused.join(', ')} among its inputs.`] : []),
    ...(gets ? [] : [`Lists none of ${output.join(', ')} among its outputs.`]),
  ];
  return { score: FULL_FIT - mismatches.length, mismatches };
}

/** Whether one of `ranges` takes the type; a range may end in a wildcard, parameters are ignored. */
export function accepts(ranges: readonly string[], type: string): boolean {
  const wanted = essence(type);
  return ranges.some((range) => {
    const each = essence(range);
    return each === '*/*' || each === wanted || wildcard(each, wanted) || wildcard(wanted, each);
  });
}

function wildcard(range: string, type: string): boolean {
  return range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

function essence(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}
