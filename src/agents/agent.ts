import type { RecordSource } from '../common/record-source.js';
import type { PublicJwk } from '../common/jwks/public-jwk.js';
import type { AgentCard } from '../protocol/a2a.js';
import type { ProtocolVersion } from '../protocol/protocol-version.js';
import type { BindingName } from './binding/bindings.js';
import type { FileForm } from './binding/file-forms.js';
import type { AgentAuthentication } from './agent-authentication.js';
import type { Locked } from './endpoint/sealed-json.js';

/** Milliseconds a delegation to this agent may take at each step; the defaults are configuration. */
export interface AgentBudgets {
  readonly connectMs: number;
  /** From sending the message to the first event or answer. */
  readonly firstEventMs: number;
  /** Between two events of a running task. */
  readonly idleMs: number;
  /** From first send to the end. */
  readonly totalMs: number;
  /** How long a cancel waits for the agent's answer. */
  readonly cancelWaitMs: number;
}

/** The budgets of an agent: its own, else the defaults; only the defaults where the agent is not known. */
export function budgetsOf(
  agent: Pick<Agent, 'budgets'> | undefined,
  { connectMs, firstEventMs, idleMs, totalMs, cancelWaitMs }: AgentBudgets,
): AgentBudgets {
  return { connectMs, firstEventMs, idleMs, totalMs, cancelWaitMs, ...agent?.budgets };
}

/** What the operator says of how an agent is called, where its card or its server says otherwise. */
export interface AgentSwitches {
  /** `off`: it is never asked to stream; its task is asked for instead. */
  readonly streaming: 'off';
  /** `on`: a message without a stream is sent as one that waits for the end, not as one that returns at once. */
  readonly blocking: 'on';
  /** The pause between two looks at its task, instead of one that grows from `agents.pollMin` to `agents.pollMax`. */
  readonly pollIntervalMs: number;
  /**
   * How it has the bytes of files over HTTP+JSON and gRPC of 0.3: `once` as base64, or `twice`, as servers do that
   * take the text for the bytes. Without it the hub asks the server which of them it is (client/file-forms.ts).
   */
  readonly files: FileForm;
  /** `signed`: every call carries a token of the hub that says on whose behalf it is made. */
  readonly caller: 'signed';
}

/** One interface of the card, as the hub calls it. */
export interface AgentEndpoint {
  readonly url: string;
  readonly protocolBinding: BindingName;
  /** `1.0` or `0.3` (a 0.2.x card is spoken to in the 0.3 dialect). */
  readonly protocolVersion: ProtocolVersion;
  /** The `tenant` its interface asks for; empty when none (A2A §8.3.2). */
  readonly tenant: string;
}

/** The operator's choice among the interfaces of a card; null leaves that choice to the hub. */
export interface AgentPin {
  readonly protocolBinding: AgentEndpoint['protocolBinding'] | null;
  readonly protocolVersion: AgentEndpoint['protocolVersion'] | null;
}

/** The keys an operator pins for the signature of an agent's card: themselves, or where they are. */
export type CardKeys = { readonly keys: readonly PublicJwk[] } | { readonly jwksUrl: string };

/**
 * What is known of the signature of an agent's card (A2A §8.4.3).
 * - `verified`: made over this card by a key the hub trusts for it.
 * - `unsigned`: the card has none.
 * - `unverified`: the hub has no key it trusts for it, or could not get it.
 * - `invalid`: the key is known, and the signature does not match the card.
 * - `unchecked`: signatures are not looked at (`agents.cardSignatures: off`).
 */
export type SignatureOutcome = 'verified' | 'unsigned' | 'unverified' | 'invalid' | 'unchecked';

/** Whose word the key of a card is: pinned for the agent, for the origin, or the origin's own. */
export const KEY_SOURCES = ['agent', 'origin', 'card'] as const;
export type KeySource = (typeof KEY_SOURCES)[number];

export interface CardSignature {
  readonly outcome: SignatureOutcome;
  /** `kid` of the signature that decided; null when it names none or there is none. */
  readonly keyId: string | null;
  readonly algorithm: string | null;
  /** Of a verified one. */
  readonly keySource: KeySource | null;
  /** Of a verified one: the key itself, as its RFC 7638 thumbprint. */
  readonly keyThumbprint: string | null;
  /**
   * This card has verified, or the one it took the place of: only a verified one takes its place, whatever
   * keys count by then.
   */
  readonly wasVerified: boolean;
  /** One sentence. */
  readonly reason: string;
}

/** An interface of a card that the egress guard refused when the card was read. */
export interface RefusedInterface extends Pick<AgentEndpoint, 'url' | 'protocolBinding'> {
  /** One sentence. */
  readonly reason: string;
}

export const CARD_TROUBLES = ['refused', 'unusable', 'adjusted', 'unread'] as const;

/** What is wrong with an agent's card, for operators. */
export interface CardTrouble {
  /** One sentence. */
  readonly reason: string;
  readonly since: Date;
  /**
   * `refused`: the card was read again and is not taken; the one before it stays in use. `unusable`: what is
   * stored of the agent cannot be used, so that it gets no work and is in none of the hub's cards. `adjusted`:
   * the card is in use, but not all of it as it is written. `unread`: the agent is declared, and no card of it
   * could be read yet: it gets no work.
   */
  readonly kind: (typeof CARD_TROUBLES)[number];
}

/** Credentials that an agent is called with for one organization, all in the place of its own. */
export interface OrganizationCredentials extends Pick<
  Agent,
  'credentials' | 'authentication' | 'credentialOrigins'
> {
  readonly updatedAt: Date;
}

/** A downstream A2A agent in the registry. */
export interface Agent {
  /** `[a-z0-9-]{1,63}`; none of {@link RESERVED_AGENT_IDS}. */
  readonly id: string;
  /** The card in the canonical 1.0 model. */
  readonly card: AgentCard;
  /** The card as it was read, byte for byte (its own version's shape). */
  readonly originalCard: string;
  /** Where the card was read; null when it was given in the request. */
  readonly cardUrl: string | null;
  /** Headers sent when the card is read again (secret values; never shown). */
  readonly cardHeaders: Readonly<Record<string, string>>;
  /** What is wrong with its card; null when nothing is known to be. */
  readonly cardTrouble: CardTrouble | null;
  /** Keys that have to have signed its card; null: those of its origin count. */
  readonly cardKeys: CardKeys | null;
  /** What is known of the signature of the card as it is stored. */
  readonly signature: CardSignature;
  /**
   * What the hub calls first: the best interface of the card that {@link pin} allows, at the operator's
   * override if there is one. When it does not answer, the card's others follow (client/call-plan.ts).
   */
  readonly endpoint: AgentEndpoint;
  /** The operator's endpoint URL, if set; it wins over the card. */
  readonly endpointOverride: string | null;
  /** Which interfaces the operator allows. */
  readonly pin: AgentPin;
  /** Interfaces of the card that are not called; empty with an override, which alone is called. */
  readonly refused: readonly RefusedInterface[];
  /** Headers sent with every call to the agent (its credentials; never shown). */
  readonly credentials: Readonly<Record<string, string>>;
  /** How the hub gets a proof besides, call by call; null: the headers are all. Its secrets are never shown. */
  readonly authentication: AgentAuthentication | Locked | null;
  /**
   * The servers (scheme, host and port) that the headers and the proof are sent to: those of the card, or of the
   * override, when the operator gave them. Interfaces elsewhere are not called. Empty without credentials.
   */
  readonly credentialOrigins: readonly string[];
  /** What organizations have in the place of these three, by their names; absent where none has, and where it was not read. */
  readonly organizationCredentials?: ReadonlyMap<string, OrganizationCredentials>;
  /** Only of what `agentFor` makes: the organization whose own credentials it is called with. */
  readonly calledFor?: string;
  /** The operator's tags; skill tags come from the card. */
  readonly tags: readonly string[];
  /** Higher is tried first; default 0. */
  readonly priority: number;
  /** Its share of the work among equals, 1 to 1000; default 1. */
  readonly weight: number;
  /** Delegations at once from one process; null: `tasks.maxPerAgent`. */
  readonly maxConcurrent: number | null;
  /** Delegations that may be queued for it, over all processes; null: `agents.maxQueue`. */
  readonly maxQueue: number | null;
  /** False: no new work; what is open goes on. */
  readonly enabled: boolean;
  /** The organizations whose principals may use it; null: everybody's. */
  readonly organizations: readonly string[] | null;
  /** Overrides of the default budgets. */
  readonly budgets: Partial<AgentBudgets>;
  /** What differs from how agents are called. */
  readonly switches: Partial<AgentSwitches>;
  /** `api`, or `config` for one declared in YAML. */
  readonly source: RecordSource;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /**
   * Since when the agent is deleted; null while it is registered. A deleted one gets no new message;
   * what it still works on can be polled and canceled.
   */
  readonly deletedAt: Date | null;
}

/** The card of an agent before the one in use. */
export interface PreviousCard extends Pick<Agent, 'card' | 'signature'> {
  readonly replacedAt: Date;
}

/**
 * Ids no agent may have: path segments below `/a2a`, `composite`, which stands before the ids of
 * composite skills in the hub's card, and `events`, the stream beside the agents of the admin API.
 */
export const RESERVED_AGENT_IDS = [
  'agents',
  'tasks',
  'v1',
  'extensions',
  'composite',
  'events',
] as const;
