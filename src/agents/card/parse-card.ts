import { isRecord } from '../../common/is-record.js';
import { SecurityScheme } from '@a2a-js/sdk';
import { parseLegacyAgentCard } from '@a2a-js/sdk/compat/v0_3/client';
import { invalidField } from '../../common/hub-error.js';
import type { AgentCard, AgentInterface, AgentSkill } from '../../protocol/a2a.js';
import { CardFields } from './card-fields.js';
import { checkCardContent } from './card-limits.js';
import { withoutRepeatedSkills } from './repeated-skills.js';

type SecurityRequirement = AgentCard['securityRequirements'][number];
type StringList = SecurityRequirement['schemes'][string];

/** Members of a 1.0 security scheme that say which kind it is; 0.x cards say it by `type`. */
const SCHEME_KINDS = [
  'apiKeySecurityScheme',
  'httpAuthSecurityScheme',
  'oauth2SecurityScheme',
  'openIdConnectSecurityScheme',
  'mtlsSecurityScheme',
];

/**
 * An agent's card of protocol 0.2.5, 0.3 or 1.0 (or one that is several at once) in the canonical
 * 1.0 model. Optional members may be missing, unknown ones are ignored. Throws HubError
 * INVALID_PARAMS naming the member that is wrong, or more than others can take, below `card`. Of skills
 * with the same id the first is kept.
 *
 * Interfaces of 0.x versions carry version `0.3`: 0.2.x is the same dialect, and code that knows
 * only 0.3 and 1.0 takes any other number for 1.0.
 */
export function parseCard(json: unknown): AgentCard {
  if (!isRecord(json)) throw invalidField('card', 'must be a JSON object');
  const card = cardOf(new CardFields(json, 'card'));
  checkCardContent(card);
  return withoutRepeatedSkills(card);
}

function cardOf(card: CardFields): AgentCard {
  const supportedInterfaces = interfacesOf(card);
  const capabilities = card.object('capabilities');
  const provider = card.object('provider');
  return {
    name: card.required('name'),
    description: card.text('description'),
    supportedInterfaces,
    provider: card.has('provider')
      ? { organization: provider.text('organization'), url: provider.text('url') }
      : undefined,
    version: card.text('version'),
    documentationUrl: card.text('documentationUrl') || undefined,
    iconUrl: card.text('iconUrl') || undefined,
    capabilities: {
      streaming: capabilities.flag('streaming'),
      pushNotifications: capabilities.flag('pushNotifications'),
      extensions: capabilities.objects('extensions').map((extension) => ({
        uri: extension.required('uri'),
        description: extension.text('description'),
        required: extension.flag('required') ?? false,
        params: extension.has('params') ? { ...extension.raw('params') } : undefined,
      })),
      extendedAgentCard:
        capabilities.flag('extendedAgentCard') ?? card.flag('supportsAuthenticatedExtendedCard'),
    },
    securitySchemes: schemesOf(card),
    securityRequirements: requirementsOf(card),
    defaultInputModes: card.texts('defaultInputModes'),
    defaultOutputModes: card.texts('defaultOutputModes'),
    skills: card.objects('skills').map(skillOf),
    signatures: card.objects('signatures').map((signature) => ({
      protected: signature.required('protected'),
      signature: signature.required('signature'),
      header: signature.has('header') ? { ...signature.raw('header') } : undefined,
    })),
  };
}

/**
 * 1.0 lists them all; 0.x names one at the top and others beside it. A union card has both, and
 * what its 0.x part adds comes last.
 */
function interfacesOf(card: CardFields): AgentInterface[] {
  const modern = card.objects('supportedInterfaces').map((one) => ({
    url: one.required('url'),
    protocolBinding: one.required('protocolBinding'),
    tenant: one.text('tenant'),
    // The list itself exists in 1.0 only, so an interface without a version is one of 1.0.
    protocolVersion: legacyAsOne(one.text('protocolVersion') || '1.0'),
  }));
  const legacy = card.has('url') ? legacyInterfacesOf(card) : [];
  if (modern.length + legacy.length === 0) {
    throw invalidField(
      'card',
      'has neither "supportedInterfaces" (A2A 1.0) nor "url" (A2A 0.x); it is not an agent card',
    );
  }
  const added = legacy.filter(
    (one) => !modern.some((m) => m.url === one.url && sameBinding(m, one)),
  );
  return [...modern, ...added];
}

function legacyInterfacesOf(card: CardFields): AgentInterface[] {
  const protocolVersion = legacyAsOne(card.text('protocolVersion') || '0.3');
  const first = {
    url: card.required('url'),
    protocolBinding: card.text('preferredTransport') || 'JSONRPC',
    tenant: '',
    protocolVersion,
  };
  const others = card.objects('additionalInterfaces').map((one) => ({
    url: one.required('url'),
    protocolBinding: one.required('transport'),
    tenant: '',
    protocolVersion,
  }));
  // The first is usually listed again among the additional ones.
  return [first, ...others.filter((o) => o.url !== first.url || !sameBinding(o, first))];
}

function sameBinding(a: AgentInterface, b: AgentInterface): boolean {
  return a.protocolBinding.toUpperCase() === b.protocolBinding.toUpperCase();
}

function legacyAsOne(version: string): string {
  return /^0\.[23](\.|$)/.test(version.trim()) ? '0.3' : version.trim();
}

function skillOf(skill: CardFields): AgentSkill {
  const id = skill.required('id');
  return {
    id,
    name: skill.text('name') || id,
    description: skill.text('description'),
    tags: skill.texts('tags'),
    examples: skill.texts('examples'),
    inputModes: skill.texts('inputModes'),
    outputModes: skill.texts('outputModes'),
    securityRequirements: requirementsOf(skill),
  };
}

/**
 * `securityRequirements` of 1.0, as `{"schemes": {"key": {"list": [...]}}}` or with the plain lists
 * that several libraries write, or `security` of 0.x: `{"key": [...]}`.
 */
function requirementsOf(owner: CardFields): SecurityRequirement[] {
  const name = owner.has('securityRequirements') ? 'securityRequirements' : 'security';
  return owner.objects(name).map((requirement) => {
    const schemes = requirement.has('schemes') ? requirement.raw('schemes') : requirement.source;
    const lists = Object.entries(schemes).map(([scheme, written]): [string, StringList] => {
      const scopes = isRecord(written) ? (written['list'] ?? []) : (written ?? []);
      if (!Array.isArray(scopes) || !scopes.every((scope) => typeof scope === 'string')) {
        throw requirement.wrong(scheme, 'must be an array of scopes');
      }
      return [scheme, { list: [...scopes] }];
    });
    return { schemes: Object.fromEntries(lists) };
  });
}

/** Schemes of either shape; kinds the protocol does not know are left out, since they cannot be used. */
function schemesOf(card: CardFields): AgentCard['securitySchemes'] {
  const schemes = Object.entries(card.raw('securitySchemes')).flatMap(([name, written]) => {
    if (!isRecord(written)) throw card.wrong(`securitySchemes.${name}`, 'must be an object');
    const scheme = SCHEME_KINDS.some((kind) => isRecord(written[kind]))
      ? SecurityScheme.fromJSON(written)
      : legacyScheme(written);
    return scheme?.scheme ? [[name, scheme] as const] : [];
  });
  return Object.fromEntries(schemes);
}

/** One 0.x scheme by the SDK's translation, which it publishes for whole cards only. */
function legacyScheme(written: unknown): SecurityScheme | undefined {
  const carrier = {
    url: '',
    capabilities: {},
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    securitySchemes: { one: written },
  };
  try {
    return parseLegacyAgentCard(carrier).securitySchemes['one'];
  } catch {
    return undefined;
  }
}
