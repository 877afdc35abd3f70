import { canonicalJson } from '../../common/canonical-json.js';
import { AgentCard, canonicalizeAgentCard } from '../../protocol/a2a.js';
import type { CardForm, Json } from './card-forms.js';

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
  const modern = form === '0.3' ? [] : [canonicalModern(json), canonicalModern(parsed(json))];
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
  const { stateTransitionHistory: _, ...capabilities } = (json['capabilities'] ?? {}) as Json;
  return { ...json, capabilities };
}

/** Without members of 1.0 alone, defaults and empty values, and in ASCII. */
export function canonicalLegacy(json: Json): string {
  const {
    supportedInterfaces: _interfaces,
    securityRequirements: _requirements,
    capabilities,
    securitySchemes,
    ...rest
  } = json;
  const { extendedAgentCard: _extended, ...known } = (capabilities ?? {}) as Json;
  const schemes = Object.entries((securitySchemes ?? {}) as Record<string, Json>);
  const card = {
    ...Object.fromEntries(
      Object.entries(rest).filter(([name, value]) => LEGACY_DEFAULTS[name] !== value),
    ),
    capabilities: known,
    securitySchemes: Object.fromEntries(schemes.map(([name, each]) => [name, legacyScheme(each)])),
  };
  return ascii(canonicalJson(withoutEmpty(card) ?? {}));
}

/** The kind of a scheme is its default; the shape of 1.0 beside it is not read. */
function legacyScheme(scheme: Json): Json {
  return Object.fromEntries(
    Object.entries(scheme).filter(([name]) => name !== 'type' && !name.endsWith('SecurityScheme')),
  );
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
