import { canonicalJson } from '../../common/canonical-json.js';
import { AgentCard, canonicalizeAgentCard } from '../../protocol/a2a.js';
import { type CardForm, type Json, without } from './card-forms.js';

/** What A2A 0.3 says of a card that names none of these. */
const LEGACY_DEFAULTS: Json = { protocolVersion: '0.3.0', preferredTransport: 'JSONRPC' };

/**
 * What is signed of a card without signatures, each text once. Verifiers do not agree on the canonical
 * form, and each takes a card of which one signature holds (A2A §8.4.3), so there is one for each of them:
 *
 * 1. A2A 1.0 as the SDKs read it: without any empty value, required or not. Of the JSON itself, and of
 *    what the JavaScript client makes of it, which loses the security schemes.
 * 2. A2A 0.3 as the Python SDK of that version reads it, from JSON and from gRPC, which knows no
 *    `stateTransitionHistory`; the specification says nothing.
 * 3. The document as it is served, by RFC 8785 alone: what A2A 1.0 §8.4.1 says, word for word.
 */
export function signedTexts(json: Json, form: CardForm): string[] {
  const isModern = form === '1.0' || form === 'union';
  const modern = isModern ? [canonicalModern(json), canonicalModern(parsed(json))] : [];
  const legacy = form === '1.0' ? [] : [canonicalLegacy(json)];
  const overGrpc = form === '0.3' ? [canonicalLegacy(withoutHistory(json))] : [];
  return [...new Set([...modern, ...legacy, ...overGrpc, canonicalJson(json)])];
}

function canonicalModern(card: unknown): string {
  return canonicalizeAgentCard(card as AgentCard);
}

function parsed(json: Json): AgentCard {
  return AgentCard.fromJSON(json);
}

function withoutHistory(json: Json): Json {
  return { ...json, capabilities: without(capabilitiesIn(json), 'stateTransitionHistory') };
}

/** Without members of 1.0 alone, defaults and empty values, and in ASCII. */
export function canonicalLegacy(json: Json): string {
  const defaults = Object.keys(LEGACY_DEFAULTS).filter(
    (name) => json[name] === LEGACY_DEFAULTS[name],
  );
  const schemes = Object.entries((json['securitySchemes'] ?? {}) as Record<string, Json>);
  const card = {
    ...without(json, 'supportedInterfaces', 'securityRequirements', ...defaults),
    capabilities: without(capabilitiesIn(json), 'extendedAgentCard'),
    securitySchemes: Object.fromEntries(schemes.map(([name, each]) => [name, legacyScheme(each)])),
  };
  return ascii(canonicalJson(withoutEmpty(card) ?? {}));
}

function capabilitiesIn(json: Json): Json {
  return (json['capabilities'] ?? {}) as Json;
}

/** The kind of a scheme is its default; the shape of 1.0 beside it is not read. */
function legacyScheme(scheme: Json): Json {
  const modern = Object.keys(scheme).filter((name) => name.endsWith('SecurityScheme'));
  return without(scheme, 'type', ...modern);
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .map(([name, member]) => [name, withoutEmpty(member)] as const)
      .filter(([, member]) => member !== undefined);
    return members.length > 0 ? Object.fromEntries(members) : undefined;
  }
  return value === null || value === '' ? undefined : value;
}

function ascii(text: string): string {
  return text.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
