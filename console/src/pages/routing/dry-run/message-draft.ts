import { betweenCommas } from '../../../ui/lists';
import type { DryRunRequest } from './dry-run';

/** What the message is and whose, as it is typed. */
export interface MessageDraft {
  readonly kind: 'text' | 'json';
  readonly text: string;
  readonly json: string;
  readonly agent: string;
  readonly skill: string;
  readonly tags: string;
  readonly strategy: 'one' | 'all' | 'first';
  readonly modes: string;
  readonly organization: string;
  readonly scopes: string;
}

export const EXAMPLE_JSON = JSON.stringify(
  {
    messageId: '1',
    role: 'ROLE_USER',
    parts: [{ text: 'Could you describe the columns of this table?' }],
  },
  null,
  2,
);

/** The request of a dry run. Throws what `JSON.parse` throws of a message that is no JSON. */
export function requestOf(draft: MessageDraft): DryRunRequest {
  const { kind, text, json, agent, skill, strategy, organization } = draft;
  const tags = betweenCommas(draft.tags);
  const modes = betweenCommas(draft.modes);
  const scopes = betweenCommas(draft.scopes);
  const pasted = kind === 'json' ? sendIn(JSON.parse(json)) : { message: { parts: [{ text }] } };
  return {
    ...pasted,
    ...(agent && { agentId: agent }),
    ...(skill && { skillId: skill }),
    ...(tags.length > 0 && { tags }),
    ...(strategy !== 'one' && { strategy }),
    ...(modes.length > 0 && { acceptedOutputModes: modes }),
    ...((organization || scopes.length > 0) && {
      caller: {
        ...(organization && { organization }),
        ...(scopes.length > 0 && { scopes: scopes as never }),
      },
    }),
  };
}

interface Send {
  readonly params?: Send;
  readonly message?: Record<string, unknown>;
  readonly metadata?: Record<string, unknown>;
  readonly tenant?: string;
  readonly configuration?: { readonly acceptedOutputModes?: string[] };
}

/** What was pasted may be a message, the parameters of a send, or the whole request of one. */
function sendIn(pasted: unknown): DryRunRequest {
  const whole = (pasted ?? {}) as Send;
  const send = whole.params ?? whole;
  if (send.message === undefined) return { message: pasted as Record<string, unknown> };
  const modes = send.configuration?.acceptedOutputModes;
  return {
    message: send.message,
    ...(send.metadata && { metadata: send.metadata }),
    ...(send.tenant && { tenant: send.tenant }),
    ...(modes && { acceptedOutputModes: modes }),
  };
}
