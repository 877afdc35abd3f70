import { betweenCommas } from '../../ui/lists';
import type { PlaygroundSearch } from './search';

export const TARGET_KINDS = [
  { value: 'hub', label: 'The hub: it chooses' },
  { value: 'agent', label: 'An agent' },
  { value: 'skill', label: 'A skill' },
  { value: 'tags', label: 'Skill tags' },
] as const;

export type TargetKind = (typeof TARGET_KINDS)[number]['value'];

/** Whom a message names. */
export interface Target {
  readonly kind: TargetKind;
  readonly name: string;
}

export function targetOf({ agent, skill, tags }: PlaygroundSearch): Target {
  if (agent !== undefined) return { kind: 'agent', name: agent };
  if (skill !== undefined) return { kind: 'skill', name: skill };
  if (tags !== undefined) return { kind: 'tags', name: tags };
  return { kind: 'hub', name: '' };
}

/** What the message says to the hub of who is to handle it; undefined: nothing. */
export function directiveOf({ kind, name }: Target): Record<string, unknown> | undefined {
  if (kind === 'hub' || name.trim() === '') return undefined;
  switch (kind) {
    case 'agent':
      return { agentId: name };
    case 'skill':
      return { skillId: name };
    case 'tags':
      return { tags: betweenCommas(name) };
  }
}

export function targetInWords({ kind, name }: Target): string {
  switch (kind) {
    case 'hub':
      return 'the hub';
    case 'agent':
      return name;
    case 'skill':
      return `skill ${name}`;
    case 'tags':
      return `tags ${name}`;
  }
}
