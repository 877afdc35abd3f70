import { namedList } from '../../common/named-list.js';
import type { AgentSkill, Message } from '../../protocol/a2a.js';
import type { RoutableAgent } from './agent-index.js';
import { MediaList } from './media-list.js';

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
  for (const each of agent.card.skills) {
    const fitOfSkill = fitOf(agent, each, media);
    if (fitOfSkill.score === FULL_FIT) return fitOfSkill;
  }
  return fit;
}

function fitOf(
  { card }: RoutableAgent,
  skill: AgentSkill | undefined,
  media: MediaTypes,
): MediaFit {
  const input = MediaList.of(media.input);
  const output = MediaList.of(media.output);
  const takes = MediaList.of(skill?.inputModes.length ? skill.inputModes : card.defaultInputModes);
  const gives = MediaList.of(
    skill?.outputModes.length ? skill.outputModes : card.defaultOutputModes,
  );
  const refused = takes.isEmpty ? [] : takes.refusedOf(input);
  const gets = output.isEmpty || gives.isEmpty || output.meets(gives);
  const mismatches = [
    ...(refused.length > 0 ? [`Does not list ${namedList(refused)} among its inputs.`] : []),
    ...(gets ? [] : [`Lists none of ${output.named} among its outputs.`]),
  ];
  return { score: FULL_FIT - mismatches.length, mismatches };
}
