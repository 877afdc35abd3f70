import type { LegacyAnswer } from './v0-answers.js';

type ProtoCard = LegacyAnswer<'getAgentCard'>;
type ProtoCapabilities = NonNullable<ProtoCard['capabilities']>;
type ProtoExtension = ProtoCapabilities['extensions'][number];
type ProtoScheme = ProtoCard['securitySchemes'][string];
type ProtoFlows = NonNullable<
  Extract<ProtoScheme['scheme'], { $case: 'oauth2SecurityScheme' }>['value']['flows']
>;

/** A card in the JSON of 0.3, as the hub writes its own. */
interface LegacyCard {
  readonly protocolVersion: string;
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly preferredTransport: string;
  readonly additionalInterfaces?: ProtoCard['additionalInterfaces'];
  readonly provider?: NonNullable<ProtoCard['provider']>;
  readonly version: string;
  readonly documentationUrl?: string;
  readonly capabilities: Omit<ProtoCapabilities, 'extensions'> & {
    readonly extensions: readonly (Partial<ProtoExtension> & Pick<ProtoExtension, 'uri'>)[];
  };
  readonly securitySchemes?: Readonly<Record<string, LegacyScheme>>;
  readonly security?: readonly Readonly<Record<string, string[]>>[];
  readonly defaultInputModes: string[];
  readonly defaultOutputModes: string[];
  readonly skills: readonly (Pick<
    ProtoCard['skills'][number],
    'id' | 'name' | 'description' | 'tags' | 'inputModes' | 'outputModes'
  > & { readonly examples?: string[] })[];
  readonly supportsAuthenticatedExtendedCard: boolean;
  readonly signatures?: readonly (Pick<
    ProtoCard['signatures'][number],
    'protected' | 'signature'
  > & { readonly header?: Record<string, unknown> })[];
}

/** The kinds of schemes the hub has. */
type LegacyScheme = { readonly description?: string } & (
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: 'apiKey'; readonly in: string; readonly name: string }
  | { readonly type: 'openIdConnect'; readonly openIdConnectUrl: string }
  | { readonly type: 'oauth2'; readonly flows: LegacyFlows }
);

interface LegacyFlow {
  readonly tokenUrl: string;
  readonly scopes: Record<string, string>;
}

/** One of them, by its kind. */
interface LegacyFlows {
  readonly clientCredentials?: LegacyFlow;
  readonly authorizationCode?: LegacyFlow & { readonly authorizationUrl: string };
}

/** The hub's card as a message of the 0.3 proto. */
export function cardMessage(card: LegacyCard): ProtoCard {
  const { additionalInterfaces = [], provider, documentationUrl = '', capabilities } = card;
  const { securitySchemes = {}, security = [], skills, signatures = [] } = card;
  return {
    ...card,
    additionalInterfaces,
    provider,
    documentationUrl,
    capabilities: {
      ...capabilities,
      extensions: capabilities.extensions.map((extension) => ({
        description: '',
        required: false,
        params: undefined,
        ...extension,
      })),
    },
    securitySchemes: Object.fromEntries(
      Object.entries(securitySchemes).map(([name, scheme]) => [name, schemeMessage(scheme)]),
    ),
    security: security.map((requirement) => ({
      schemes: Object.fromEntries(
        Object.entries(requirement).map(([name, list]) => [name, { list }]),
      ),
    })),
    skills: skills.map((skill) => ({ examples: [], ...skill, security: [] })),
    signatures: signatures.map((signature) => ({ header: undefined, ...signature })),
  };
}

function schemeMessage(legacy: LegacyScheme): ProtoScheme {
  const { description = '' } = legacy;
  if (legacy.type === 'http') {
    const { scheme, bearerFormat = '' } = legacy;
    const value = { description, scheme, bearerFormat };
    return { scheme: { $case: 'httpAuthSecurityScheme', value } };
  }
  if (legacy.type === 'openIdConnect') {
    const value = { description, openIdConnectUrl: legacy.openIdConnectUrl };
    return { scheme: { $case: 'openIdConnectSecurityScheme', value } };
  }
  if (legacy.type === 'oauth2') {
    const value = { description, flows: flowsMessage(legacy.flows), oauth2MetadataUrl: '' };
    return { scheme: { $case: 'oauth2SecurityScheme', value } };
  }
  const value = { description, location: legacy.in, name: legacy.name };
  return { scheme: { $case: 'apiKeySecurityScheme', value } };
}

function flowsMessage({ clientCredentials, authorizationCode }: LegacyFlows): ProtoFlows {
  if (authorizationCode !== undefined) {
    const value = { refreshUrl: '', ...authorizationCode };
    return { flow: { $case: 'authorizationCode', value } };
  }
  if (clientCredentials === undefined) return { flow: undefined };
  return {
    flow: { $case: 'clientCredentials', value: { refreshUrl: '', ...clientCredentials } },
  };
}
