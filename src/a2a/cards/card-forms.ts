import { AgentCard, type AgentInterface, type AgentSkill } from '../../protocol/a2a.js';

type Json = Record<string, unknown>;

/**
 * The forms one card is served in:
 * - `1.0`: the closed schema of A2A 1.0;
 * - `0.3`: what 0.2.5 and 0.3 clients read;
 * - `union`: one document that the clients of every version accept.
 */
export type CardForm = '1.0' | '0.3' | 'union';

/** What 0.x cards state, at the least that every client takes. */
const LEGACY_VERSION = '0.3.0';

/** The card as JSON text. It must have an interface of version 0.3. */
export function renderCard(card: AgentCard, form: CardForm): string {
  const json =
    form === '1.0' ? AgentCard.toJSON(card) : form === '0.3' ? legacy(card) : union(card);
  return JSON.stringify(json);
}

/**
 * Both shapes in one. Clients of 0.x read one half, those of 1.0 the other; a security scheme holds
 * both shapes at once, because each kind of client refuses the whole card for one it cannot read, and
 * Go reads scopes as plain lists only.
 */
function union(card: AgentCard): Json {
  const modern = AgentCard.toJSON(card) as Json;
  const old = legacy(card);
  return {
    ...modern,
    ...old,
    capabilities: { ...(modern['capabilities'] as Json), ...(old['capabilities'] as Json) },
    ...withSome('securitySchemes', mergedSchemes(modern, old)),
    ...withSome('securityRequirements', card.securityRequirements.map(plainScopes)),
  };
}

/** A2A 0.3 §5.5. */
function legacy(card: AgentCard): Json {
  const [first, ...others] = card.supportedInterfaces.filter(
    ({ protocolVersion }) => protocolVersion === '0.3',
  );
  if (!first) throw new Error('A card without a 0.3 interface has no 0.3 form.');
  return {
    protocolVersion: LEGACY_VERSION,
    name: card.name,
    description: card.description,
    url: first.url,
    preferredTransport: first.protocolBinding,
    ...withSome('additionalInterfaces', [first, ...others].map(legacyInterface)),
    ...(card.provider ? { provider: card.provider } : {}),
    ...(card.iconUrl ? { iconUrl: card.iconUrl } : {}),
    version: card.version,
    ...(card.documentationUrl ? { documentationUrl: card.documentationUrl } : {}),
    capabilities: {
      streaming: card.capabilities?.streaming ?? false,
      pushNotifications: card.capabilities?.pushNotifications ?? false,
      stateTransitionHistory: false,
      extensions:
        (AgentCard.toJSON(card) as { capabilities: Json }).capabilities['extensions'] ?? [],
    },
    ...withSome('securitySchemes', legacySchemes(card)),
    ...withSome(
      'security',
      card.securityRequirements.map((requirement) => plainScopes(requirement).schemes),
    ),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map(skill),
    supportsAuthenticatedExtendedCard: false,
  };
}

function legacyInterface({ url, protocolBinding }: AgentInterface): Json {
  return { url, transport: protocolBinding };
}

/** A skill reads alike in every version; some clients insist on its modes. */
function skill({
  id,
  name,
  description,
  tags,
  examples,
  inputModes,
  outputModes,
}: AgentSkill): Json {
  return {
    id,
    name,
    description,
    tags,
    ...withSome('examples', examples),
    inputModes,
    outputModes,
  };
}

/** The hub's own schemes only: 0.x tells the kind by `type`. */
function legacySchemes(card: AgentCard): Json {
  return Object.fromEntries(
    Object.entries(card.securitySchemes).flatMap(([name, { scheme }]): [string, Json][] => {
      if (scheme?.$case === 'httpAuthSecurityScheme') {
        const { scheme: kind, description } = scheme.value;
        return [[name, { type: 'http', scheme: kind, ...described(description) }]];
      }
      if (scheme?.$case === 'apiKeySecurityScheme') {
        const { location, name: key, description } = scheme.value;
        return [[name, { type: 'apiKey', in: location, name: key, ...described(description) }]];
      }
      return [];
    }),
  );
}

function mergedSchemes(modern: Json, old: Json): Json {
  const schemes = (modern['securitySchemes'] ?? {}) as Record<string, Json>;
  const legacySchemes = (old['securitySchemes'] ?? {}) as Record<string, Json>;
  return Object.fromEntries(
    Object.entries(schemes).map(([name, scheme]) => [name, { ...legacySchemes[name], ...scheme }]),
  );
}

function plainScopes({ schemes }: AgentCard['securityRequirements'][number]): {
  schemes: Record<string, string[]>;
} {
  const entries = Object.entries(schemes).map(([name, { list }]) => [name, list] as const);
  return { schemes: Object.fromEntries(entries) };
}

function described(description: string): Json {
  return description === '' ? {} : { description };
}

function withSome(name: string, value: readonly unknown[] | Json): Json {
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  return size === 0 ? {} : { [name]: value };
}
