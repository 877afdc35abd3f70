import { AgentCard, AgentExtension, AgentInterface, AgentSkill } from '../../protocol/a2a.js';

export type Json = Record<string, unknown>;

type Flows = Extract<
  AgentCard['securitySchemes'][string]['scheme'],
  { $case: 'oauth2SecurityScheme' }
>['value']['flows'];

/**
 * The forms one card is served in:
 * - `1.0`: the closed schema of A2A 1.0;
 * - `0.3`: what 0.2.5 and 0.3 clients read;
 * - `0.3-both`: that for the readers of HTTP+JSON 0.3, of its JSON (Python, Java) and of ProtoJSON
 *   (JavaScript), which tells the kinds of security schemes apart by the name of a member;
 * - `union`: one document that the clients of every version accept.
 */
export type CardForm = '1.0' | '0.3' | '0.3-both' | 'union';

/** What 0.x cards state, at the least that every client takes. */
const LEGACY_VERSION = '0.3.0';

const FORMS: Readonly<Record<CardForm, (card: AgentCard) => Json>> = {
  '1.0': modern,
  '0.3': (card) => legacy(withoutMtls(card)),
  '0.3-both': (card) => legacyInBothShapes(withoutMtls(card)),
  union: (card) => union(withoutMtls(card)),
};

/** The card as JSON text. It must have an interface of version 0.3. */
export function renderCard(card: AgentCard, form: CardForm): string {
  return JSON.stringify(cardJson(card, form));
}

/** The forms of cards that were asked for; a card with many skills is served to many. */
const KNOWN = new WeakMap<AgentCard, Map<CardForm, Json>>();

/**
 * The card in this form. Its signatures are taken as they are: they hold for the form they were made for. One object for
 * each card and form, which nobody changes; neither does anybody the card.
 */
export function cardJson(card: AgentCard, form: CardForm): Json {
  let forms = KNOWN.get(card);
  if (forms === undefined) KNOWN.set(card, (forms = new Map<CardForm, Json>()));
  let json = forms.get(form);
  if (json === undefined) forms.set(form, (json = madeJson(card, form)));
  return json;
}

function madeJson(card: AgentCard, form: CardForm): Json {
  const json = FORMS[form](card);
  const { signatures } = AgentCard.toJSON({ ...card, skills: [] }) as Json;
  return signatures === undefined ? json : { ...json, signatures };
}

/**
 * A2A 1.0 §4.4, with every required member, which ProtoJSON leaves out when empty. Nothing in it has a
 * default value but those, so it is its own canonical form (§8.4.1) but for the order of members.
 */
function modern(card: AgentCard): Json {
  const json = without(AgentCard.toJSON(card) as Json, 'signatures');
  return {
    ...json,
    name: card.name,
    description: card.description,
    version: card.version,
    supportedInterfaces: card.supportedInterfaces.map((each) =>
      AgentInterface.toJSON(dialed(each)),
    ),
    capabilities: json['capabilities'] ?? {},
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map((each) => ({
      description: '',
      tags: [],
      ...(AgentSkill.toJSON(each) as Json),
    })),
  };
}

/** In 1.0 the address of gRPC has no scheme: clients dial it as it is. */
function dialed(each: AgentInterface): AgentInterface {
  const isGrpc = each.protocolBinding === 'GRPC';
  return isGrpc ? { ...each, url: each.url.replace(/^https?:\/\//, '') } : each;
}

/**
 * Both shapes in one. Clients of 0.x read one half, those of 1.0 the other; a security scheme holds
 * both shapes at once, because each kind of client refuses the whole card for one it cannot read, and
 * Go reads scopes as plain lists only.
 */
function union(card: AgentCard): Json {
  const both = modern(card);
  const old = legacy(card);
  return {
    ...both,
    ...old,
    capabilities: { ...(both['capabilities'] as Json), ...(old['capabilities'] as Json) },
    ...withSome('securitySchemes', mergedSchemes(both, old)),
    ...withSome('securityRequirements', card.securityRequirements.map(plainScopes)),
  };
}

/** A2A 0.3 §5.5. */
function legacy(card: AgentCard): Json {
  const [first, ...others] = legacyInterfaces(card);
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
      extensions: (card.capabilities?.extensions ?? []).map((each) => ({
        ...(AgentExtension.toJSON(each) as Json),
        required: each.required,
      })),
    },
    ...withSome('securitySchemes', legacySchemes(card)),
    ...withSome(
      'security',
      card.securityRequirements.map((requirement) => plainScopes(requirement).schemes),
    ),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map(skill),
    supportsAuthenticatedExtendedCard: card.capabilities?.extendedAgentCard ?? false,
  };
}

function legacyInBothShapes(card: AgentCard): Json {
  const json = legacy(card);
  const schemes = Object.entries((json['securitySchemes'] ?? {}) as Record<string, Json>);
  const both = schemes.map(([name, scheme]) => [name, { ...scheme, ...protoScheme(scheme) }]);
  return { ...json, ...withSome('securitySchemes', Object.fromEntries(both) as Json) };
}

/** A scheme of the hub's as the 0.3 proto has it. */
function protoScheme({ type, in: location, ...others }: Json): Json {
  switch (type) {
    case 'apiKey':
      return { apiKeySecurityScheme: { ...others, location } };
    case 'openIdConnect':
      return { openIdConnectSecurityScheme: others };
    case 'oauth2':
      return { oauth2SecurityScheme: others };
    default:
      return { httpAuthSecurityScheme: others };
  }
}

function legacyInterfaces({ supportedInterfaces }: AgentCard): AgentInterface[] {
  return supportedInterfaces.filter(({ protocolVersion }) => protocolVersion === '0.3');
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
      if (scheme?.$case === 'openIdConnectSecurityScheme') {
        const { openIdConnectUrl, description } = scheme.value;
        return [[name, { type: 'openIdConnect', openIdConnectUrl, ...described(description) }]];
      }
      if (scheme?.$case === 'oauth2SecurityScheme') {
        const { flows, description } = scheme.value;
        return [
          [name, { type: 'oauth2', flows: legacyFlows(flows ?? {}), ...described(description) }],
        ];
      }
      return [];
    }),
  );
}

/** One flow, as OpenAPI writes it; what is empty is left out. */
function legacyFlows({ flow }: NonNullable<Flows>): Json {
  if (flow === undefined) return {};
  const members = Object.entries(flow.value as object).filter(
    ([name, value]) => value !== '' && name !== 'pkceRequired',
  );
  return { [flow.$case]: Object.fromEntries(members) };
}

function mergedSchemes(modern: Json, old: Json): Json {
  const schemes = (modern['securitySchemes'] ?? {}) as Record<string, Json>;
  const legacySchemes = (old['securitySchemes'] ?? {}) as Record<string, Json>;
  return Object.fromEntries(
    Object.entries(schemes).map(([name, scheme]) => [name, { ...legacySchemes[name], ...scheme }]),
  );
}

/** Readers of 0.2.5 refuse a whole card for a scheme that is not of their version. */
function withoutMtls(card: AgentCard): AgentCard {
  const isKept = (name: string): boolean =>
    card.securitySchemes[name]?.scheme?.$case !== 'mtlsSecurityScheme';
  const schemes = Object.entries(card.securitySchemes).filter(([name]) => isKept(name));
  return {
    ...card,
    securitySchemes: Object.fromEntries(schemes),
    securityRequirements: card.securityRequirements.filter((each) =>
      Object.keys(each.schemes).every(isKept),
    ),
  };
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

/** A copy that lacks these members. */
export function without(json: Json, ...names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)));
}
