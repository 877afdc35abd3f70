import type { SecretBox } from '../../common/secret-box.js';
import { AgentCard } from '../../protocol/a2a.js';
import type {
  Agent,
  AgentBudgets,
  AgentEndpoint,
  AgentPin,
  AgentSwitches,
  CardSignature,
  CardTrouble,
  PreviousCard,
  RefusedInterface,
} from '../agent.js';
import { checkCardContent, checkStoredCard } from '../card/card-limits.js';
import { withoutRepeatedSkills } from '../card/repeated-skills.js';
import type { AgentAuthentication } from '../agent-authentication.js';
import { openJson, sealJson } from '../endpoint/sealed-json.js';
import { openHeaders, sealHeaders } from '../endpoint/sealed-headers.js';
import type { AgentEntity } from './agent.entity.js';
import type { PreviousCardEntity } from './previous-card.entity.js';

/** The form in which an agent is stored. */
export class AgentRows {
  constructor(private readonly secrets: SecretBox) {}

  readonly toRow = ({ authentication, ...agent }: Agent): AgentEntity => ({
    ...agent,
    card: JSON.stringify(AgentCard.toJSON(agent.card)),
    cardHeaders: JSON.stringify(sealHeaders(this.secrets, agent.cardHeaders)),
    cardTrouble: storedTrouble(agent.cardTrouble),
    cardKeys: agent.cardKeys === null ? null : JSON.stringify(agent.cardKeys),
    signature: JSON.stringify(agent.signature),
    endpoint: JSON.stringify(agent.endpoint),
    pin: JSON.stringify(agent.pin),
    refused: JSON.stringify(agent.refused),
    credentials: JSON.stringify(sealHeaders(this.secrets, agent.credentials)),
    sealedAuthentication: sealJson(this.secrets, authentication),
    credentialOrigins: JSON.stringify(agent.credentialOrigins),
    tags: JSON.stringify(agent.tags),
    organizations: agent.organizations === null ? null : JSON.stringify(agent.organizations),
    budgets: JSON.stringify(agent.budgets),
    switches: JSON.stringify(agent.switches),
  });

  /** A row that cannot be used as it is, whoever wrote it, is an agent that says so. */
  readonly toAgent = ({ sealedAuthentication, ...row }: AgentEntity): Agent => {
    const read = new RowReader(row.id);
    const agent: Agent = {
      ...row,
      card: read.column('card', row.card, cardOf, EMPTY_CARD),
      originalCard: read.column('original_card', row.originalCard, originalOf, '{}'),
      cardTrouble: read.column('card_trouble', row.cardTrouble, troubleOf, null),
      cardHeaders: read.column('card_headers', row.cardHeaders, this.headers, {}),
      cardKeys: read.column('card_keys', row.cardKeys, parsedOrNull<Agent['cardKeys']>, null),
      signature: read.column('signature', row.signature, objectOf<CardSignature>, NO_SIGNATURE),
      endpoint: read.column('endpoint', row.endpoint, endpointOf, NO_ENDPOINT),
      pin: read.column('pin', row.pin, objectOf<AgentPin>, NO_PIN),
      refused: read.column('refused', row.refused, listOf<RefusedInterface>, []),
      credentials: read.column('credentials', row.credentials, this.headers, {}),
      authentication: read.column(
        'sealed_authentication',
        sealedAuthentication,
        (stored) => openJson<AgentAuthentication>(this.secrets, stored),
        null,
      ),
      credentialOrigins: read.column(
        'credential_origins',
        row.credentialOrigins,
        listOf<string>,
        [],
      ),
      tags: read.column('tags', row.tags, listOf<string>, []),
      organizations: read.column(
        'organizations',
        row.organizations,
        (json) => (json === null ? null : listOf<string>(json)),
        [],
      ),
      budgets: read.column('budgets', row.budgets, objectOf<Partial<AgentBudgets>>, {}),
      switches: read.column('switches', row.switches, objectOf<Partial<AgentSwitches>>, {}),
    };
    const fault = read.fault();
    if (fault === undefined) return agent;
    const { updatedAt: since } = agent;
    return { ...agent, cardTrouble: { reason: fault, since, kind: 'unusable' } };
  };

  private readonly headers = (json: string): Record<string, string> =>
    openHeaders(this.secrets, objectOf<Record<string, string>>(json));
}

/** A card that is kept when another takes its place. */
export function previousCardRow(
  { id, card, signature }: Agent,
  replacedAt: Date,
): PreviousCardEntity {
  return {
    agentId: id,
    card: JSON.stringify(AgentCard.toJSON(card)),
    signature: JSON.stringify(signature),
    replacedAt,
  };
}

/** Null for a row that cannot be used: what changed is not known then. */
export function previousCardOf(row: PreviousCardEntity): PreviousCard | null {
  const read = new RowReader(row.agentId);
  const card = read.column('card', row.card, cardOf, EMPTY_CARD);
  const signature = read.column('signature', row.signature, objectOf<CardSignature>, NO_SIGNATURE);
  return read.fault() === undefined ? { card, signature, replacedAt: row.replacedAt } : null;
}

/** Reads the columns of one row, and notes which of them cannot be. */
class RowReader {
  private readonly faults: string[] = [];

  constructor(private readonly id: string) {}

  /** `instead` where it cannot be read. */
  column<Stored, T>(name: string, stored: Stored, read: (stored: Stored) => T, instead: T): T {
    try {
      return read(stored);
    } catch (error) {
      this.faults.push(`${name}: ${(error as Error).message}`);
      return instead;
    }
  }

  /** One sentence; undefined when all could be read. */
  fault(): string | undefined {
    if (this.faults.length === 0) return undefined;
    return `What is stored of ${this.id} cannot be used (${this.faults.join('; ').slice(0, 500)}).`;
  }
}

const EMPTY_CARD: AgentCard = AgentCard.fromJSON({});
const NO_PIN: AgentPin = { protocolBinding: null, protocolVersion: null };
const NO_ENDPOINT: AgentEndpoint = {
  url: 'http://unusable.invalid/',
  protocolBinding: 'JSONRPC',
  protocolVersion: '1.0',
  tenant: '',
};
const NO_SIGNATURE: CardSignature = {
  outcome: 'unchecked',
  keyId: null,
  algorithm: null,
  keySource: null,
  keyThumbprint: null,
  wasVerified: false,
  reason: 'It cannot be read.',
};

function cardOf(json: string): AgentCard {
  checkStoredCard(json);
  const card = AgentCard.fromJSON(objectOf(json));
  checkCardContent(card);
  return withoutRepeatedSkills(card);
}

function originalOf(json: string): string {
  checkStoredCard(json);
  return json;
}

function endpointOf(json: string): AgentEndpoint {
  const { url, protocolBinding, protocolVersion, tenant } = objectOf<AgentEndpoint>(json);
  const texts = [url, protocolBinding, protocolVersion, tenant];
  if (!texts.every((text) => typeof text === 'string')) throw new Error('is not an endpoint');
  return { url, protocolBinding, protocolVersion, tenant };
}

/** {@link CardTrouble} as it is stored: an `unusable` one never is. */
interface StoredTrouble {
  readonly reason: string;
  readonly since: number;
  readonly kind?: 'adjusted';
}

function storedTrouble(trouble: CardTrouble | null): string | null {
  if (trouble === null || trouble.kind === 'unusable') return null;
  const { reason, since, kind } = trouble;
  const stored = { reason, since: since.getTime() } satisfies StoredTrouble;
  return JSON.stringify(kind === 'adjusted' ? { ...stored, kind } : stored);
}

function troubleOf(json: string | null): CardTrouble | null {
  if (json === null) return null;
  const { reason, since, kind } = objectOf<StoredTrouble>(json);
  return {
    reason: String(reason),
    since: new Date(Number(since)),
    kind: kind === 'adjusted' ? kind : 'refused',
  };
}

function parsedOrNull<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T);
}

function objectOf<T extends object>(json: string): T {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('is not an object');
  }
  return value as T;
}

function listOf<T>(json: string): T[] {
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value)) throw new Error('is not a list');
  return value as T[];
}
