import { isRecord } from '../../common/is-record.js';
import { AgentCard, canonicalizeAgentCard } from '../../protocol/a2a.js';
import { type Json, without } from './card-fields.js';

/** One way a card may have been written down to be signed. */
export interface SignedForm {
  /** The text that was signed. */
  readonly payload: string;
  /** What of the card a signature over this form covers, as a card document without signatures. */
  readonly covered: Json;
}

/** Members that the 1.0 form has although they are empty (`REQUIRED` in a2a.proto). */
const REQUIRED_OF_CARD: Json = {
  name: '',
  description: '',
  supportedInterfaces: [],
  version: '',
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
};
const REQUIRED_OF_SKILL: Json = { id: '', name: '', description: '', tags: [] };
const REQUIRED_OF_INTERFACE: Json = { url: '', protocolBinding: '', protocolVersion: '' };
const REQUIRED_OF_PROVIDER: Json = { url: '', organization: '' };

/**
 * The forms in which signers of either version write a card down (A2A §8.4.1), each in JCS:
 * - the 1.0 members with none that is empty, as the official SDKs do;
 * - the same as the JavaScript SDK makes it of a card in memory, which loses the security schemes;
 * - the 1.0 members as the specification wants them, with the required ones that are empty;
 * - the document itself without its signatures. It covers every member of it.
 */
export function signedForms(document: Json): SignedForm[] {
  const unsigned = without(document, 'signatures');
  const forms = [...modernForms(document), jcs(unsigned)].map(formOf);
  const distinct = new Map<string, SignedForm>();
  for (const form of forms) if (!distinct.has(form.payload)) distinct.set(form.payload, form);
  return [...distinct.values()];
}

/** What is covered is read from the text itself, so that nothing else is ever taken for signed. */
function formOf(payload: string): SignedForm {
  return { payload, covered: JSON.parse(payload) as Json };
}

function modernForms(document: Json): string[] {
  try {
    const card = AgentCard.fromJSON(document);
    // Of a 0.x card it would cover the name, but not the address.
    if (card.supportedInterfaces.length === 0) return [];
    return [
      canonicalizeAgentCard(document as unknown as AgentCard),
      canonicalizeAgentCard(card),
      jcs(withRequired(without(AgentCard.toJSON(card) as Json, 'signatures'))),
    ];
  } catch {
    // A card of another version need not fit the types of 1.0.
    return [];
  }
}

function withRequired(card: Json): Json {
  const whole: Record<string, unknown> = { ...REQUIRED_OF_CARD, ...card };
  whole['skills'] = each(whole['skills'], REQUIRED_OF_SKILL);
  whole['supportedInterfaces'] = each(whole['supportedInterfaces'], REQUIRED_OF_INTERFACE);
  if (isRecord(whole['provider'])) {
    whole['provider'] = { ...REQUIRED_OF_PROVIDER, ...whole['provider'] };
  }
  return whole;
}

function each(list: unknown, required: Json): Json[] {
  return (list as Json[]).map((one) => ({ ...required, ...one }));
}

/** The JSON Canonicalization Scheme (RFC 8785) of parsed JSON. */
export function jcs(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jcs(member)}`).join(',')}}`;
}
