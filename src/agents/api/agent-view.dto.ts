import { RECORD_SOURCES } from '../../common/record-source.js';
import { Shown } from '../../common/http/fields.js';
import { merged } from '../../common/merged.js';
import { fill } from '../../common/http/view.js';
import type { SecretReferences } from '../../common/secret-references/secret-references.js';
import { AgentCard } from '../../protocol/a2a.js';
import { PROTOCOL_VERSIONS } from '../../protocol/protocol-version.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import { SECRET_MEMBERS } from '../agent-authentication.js';
import { BINDING_NAMES } from '../binding/bindings.js';
import { requiredSecurity } from '../card/required-security.js';
import { judgedInterfaces } from '../endpoint/choose-endpoint.js';
import { Locked } from '../endpoint/sealed-json.js';
import { AgentHealthDto } from '../health/agent-health.dto.js';
import type { HourOfAgent } from '../health/agent-hours.js';
import type { AgentHealthView } from '../health/agent-monitor.js';
import { agentTrouble } from '../health/agent-trouble.js';
import type { Refreshed, Registration } from '../registration/agents.service.js';
import {
  DEVIATION_KINDS,
  type Deviation,
  type DeviationKind,
  DEVIATIONS,
} from '../registry/agent-deviations.js';
import { BudgetsDto } from '../request/budgets.dto.js';
import { SwitchesDto } from '../request/switches.dto.js';
import {
  AgentEndpointDto,
  AgentInterfaceDto,
  RequiredSecurityDto,
  CardChangeDto,
  CardSignatureDto,
  CardTroubleDto,
} from './agent-card.dto.js';
import { COUNTED } from './agent-activity.dto.js';
import { AuthenticationViewDto } from './authentication-view.dto.js';
import { ProbeReportDto } from './check.dto.js';

/** Something in which an agent differs from A2A and the hub takes it all the same. */
export class AgentDeviationDto {
  @Shown.Choice(DEVIATION_KINDS)
  readonly kind!: DeviationKind;

  @Shown.Text({ description: 'A description for people.' })
  readonly what!: string;

  @Shown.Time({ description: 'When it was first seen.' })
  readonly since!: string;

  constructor({ kind, since }: Deviation) {
    fill<AgentDeviationDto>(this, { kind, what: DEVIATIONS[kind], since });
  }
}

/** What is shown of secrets that are kept elsewhere. */
export type ShownReferences = Pick<SecretReferences, 'view' | 'current'>;

/** A secret of an agent that is kept elsewhere. */
export class AgentReferenceDto {
  @Shown.Choice(['credentials', 'cardHeaders', 'authentication'])
  readonly in!: 'credentials' | 'cardHeaders' | 'authentication';

  @Shown.Text({
    description: 'The header, or the member of `authentication`.',
    example: 'authorization',
  })
  readonly header!: string;

  @Shown.Text({
    description: 'Where the secret is; no secret itself.',
    example: 'vault:agents/books#token',
  })
  readonly reference!: string;

  @Shown.Flag({
    nullable: true,
    description:
      'Whether this process could read it when it last tried; null: it has not tried yet.',
  })
  readonly isReadable!: boolean | null;

  @Shown.Text({ nullable: true, description: 'Why it could not be read.' })
  readonly problem!: string | null;
}

/** The references among the secrets of an agent. */
export function referencesOf(
  agent: Pick<Agent, 'credentials' | 'cardHeaders' | 'authentication'>,
  references: ShownReferences,
): AgentReferenceDto[] {
  const { credentials, cardHeaders, authentication } = agent;
  const members = authentication instanceof Locked ? null : authentication;
  const secrets = SECRET_MEMBERS.map((name) => [name, members?.[name] ?? ''] as const);
  const lists = { credentials, cardHeaders, authentication: Object.fromEntries(secrets) };
  return (['credentials', 'cardHeaders', 'authentication'] as const).flatMap((list) =>
    Object.entries(lists[list]).flatMap(([header, stored]) => {
      const view = references.view(stored);
      return view === undefined ? [] : [{ ...view, in: list, header }];
    }),
  );
}

/** An agent as the API shows it. Of headers there are only names: their values are secrets. */
export class AgentDto {
  @Shown.Text()
  readonly id!: string;

  @Shown.Text()
  readonly name!: string;

  @Shown.Text()
  readonly description!: string;

  @Shown.Flag()
  readonly enabled!: boolean;

  @Shown.Num()
  readonly priority!: number;

  @Shown.Num({ description: 'Its share of the work among equals.' })
  readonly weight!: number;

  @Shown.Num({
    nullable: true,
    description: 'Delegations at once from one process; null: tasks.maxPerAgent.',
  })
  readonly maxConcurrent!: number | null;

  @Shown.Num({
    nullable: true,
    description: 'Delegations that may be queued for it; null: agents.maxQueue.',
  })
  readonly maxQueue!: number | null;

  @Shown.Nested(() => AgentHealthDto, {
    description: 'As seen by the process that answers this request.',
  })
  readonly health!: AgentHealthDto;

  @Shown.Text({
    nullable: true,
    description:
      'What is wrong with it, a sentence; null: nothing, or it is disabled. It is down or degraded, fails its calls, has a full queue, or a card that was refused or cannot be read or used.',
  })
  readonly trouble!: string | null;

  @Shown.Text({ list: true, description: "The operator's tags; skills have their own." })
  readonly tags!: readonly string[];

  @Shown.Choice(RECORD_SOURCES, { description: 'config: declared in the configuration.' })
  readonly source!: Agent['source'];

  @Shown.Nested(() => AgentEndpointDto, { description: 'The interface that the hub calls first.' })
  readonly endpoint!: AgentEndpointDto;

  @Shown.Nested(() => AgentEndpointDto, {
    description:
      'The interface that this process calls now: another one while the first does not answer, or an older version where the agent refused the version in its card. A process of the role `api` calls none: there it is the first.',
  })
  readonly endpointNow!: AgentEndpointDto;

  @Shown.Text({ nullable: true })
  readonly endpointOverride!: string | null;

  @Shown.Choice(BINDING_NAMES, {
    nullable: true,
    description: "The operator's choice; null: the hub's.",
  })
  readonly protocolBinding!: Agent['pin']['protocolBinding'];

  @Shown.Choice(PROTOCOL_VERSIONS, {
    nullable: true,
    description: "The operator's choice; null: the hub's.",
  })
  readonly protocolVersion!: Agent['pin']['protocolVersion'];

  @Shown.Nested(() => AgentInterfaceDto, {
    list: true,
    description: 'Every interface of the card and whether the hub can call it.',
  })
  readonly interfaces!: readonly AgentInterfaceDto[];

  @Shown.Text({
    nullable: true,
    list: true,
    description: 'The organizations that may use it; null: everybody.',
  })
  readonly organizations!: readonly string[] | null;

  @Shown.Nested(() => CardSignatureDto, {
    description: "The result of verifying the card's signature.",
  })
  readonly signature!: CardSignatureDto;

  @Shown.Json({ nullable: true, description: 'The public keys pinned for the card.' })
  readonly cardKeys!: Agent['cardKeys'];

  @Shown.Nested(() => BudgetsDto, { description: 'Only what differs from the defaults.' })
  readonly budgets!: Agent['budgets'];

  @Shown.Nested(() => SwitchesDto, { description: 'Only those that are set.' })
  readonly switches!: Agent['switches'];

  @Shown.Nested(() => CardTroubleDto, {
    nullable: true,
    description: 'The problem with its card; null: none is known.',
  })
  readonly cardTrouble!: CardTroubleDto | null;

  @Shown.Nested(() => AgentDeviationDto, {
    list: true,
    description:
      'Known deviations from the protocol that this process has tolerated since it started, oldest first; none with the role `api`, which calls no agents.',
  })
  readonly deviations!: readonly AgentDeviationDto[];

  @Shown.Text({ nullable: true, description: 'Where the card was found.' })
  readonly cardUrl!: string | null;

  @Shown.Text({ list: true, description: 'Names of the headers sent when reading the card.' })
  readonly cardHeaders!: readonly string[];

  @Shown.Text({ list: true, description: 'Names of the headers sent with every call.' })
  readonly credentials!: readonly string[];

  @Shown.Nested(() => AgentReferenceDto, {
    list: true,
    description:
      'The headers among both, and the secrets of `authentication`, that are references.',
  })
  readonly references!: readonly AgentReferenceDto[];

  @Shown.Nested(() => AuthenticationViewDto, {
    nullable: true,
    description:
      'How the hub gets an access token for its calls; null: it sends `credentials` alone.',
  })
  readonly authentication!: AuthenticationViewDto | null;

  @Shown.Text({
    list: true,
    description:
      'The origins the credentials are sent to: those of the agent when they were given. The agent is not called at other origins.',
  })
  readonly credentialOrigins!: readonly string[];

  @Shown.Text({
    list: true,
    description:
      'The organizations that it is called with other credentials for, as far as the caller may see them.',
  })
  readonly organizationCredentials!: readonly string[];

  @Shown.Nested(() => RequiredSecurityDto, {
    list: true,
    description:
      'What the card asks callers for (`securityRequirements`, `security`), one of which is enough, and what of it is not set. It is a hint: nothing is refused for it.',
  })
  readonly security!: readonly RequiredSecurityDto[];

  @Shown.Json({ description: 'The card in the 1.0 form, whatever version the agent serves.' })
  readonly card!: unknown;

  @Shown.Time()
  readonly createdAt!: string;

  @Shown.Time()
  readonly updatedAt!: string;

  constructor(
    agent: Agent,
    health: AgentHealthView,
    deviations: readonly Deviation[],
    references: ShownReferences,
    endpointNow: AgentEndpoint = agent.endpoint,
    organizationCredentials: readonly string[] = [],
  ) {
    const more = {
      name: agent.card.name,
      description: agent.card.description,
      health: new AgentHealthDto(health),
      trouble: agentTrouble(agent, health),
      endpointNow,
      organizationCredentials,
      protocolBinding: agent.pin.protocolBinding,
      protocolVersion: agent.pin.protocolVersion,
      interfaces: judgedInterfaces(agent.card, agent),
      cardTrouble: agent.cardTrouble && new CardTroubleDto(agent.cardTrouble),
      deviations: deviations.map((deviation) => new AgentDeviationDto(deviation)),
      references: referencesOf(agent, references),
      cardHeaders: Object.keys(agent.cardHeaders),
      credentials: Object.keys(agent.credentials),
      authentication:
        agent.authentication && new AuthenticationViewDto(agent.authentication, references),
      security: requiredSecurity(agent),
      card: AgentCard.toJSON(agent.card),
    };
    fill<AgentDto>(this, merged(agent, more));
  }
}

/** What was found out about a new agent. */
export class RegistrationReportDto {
  @Shown.Nested(() => AgentInterfaceDto, {
    list: true,
    description: 'Every interface of the card and whether the hub can call it.',
  })
  readonly interfaces: readonly AgentInterfaceDto[];

  @Shown.Flag({ description: "Whether the endpoint's host resolves now." })
  readonly endpointResolves: boolean;

  @Shown.Nested(() => ProbeReportDto, { nullable: true, description: 'Null without `probe`.' })
  readonly probe: ProbeReportDto | null;

  constructor({ checked, probe }: Registration) {
    this.interfaces = checked.interfaces;
    this.probe = probe;
    this.endpointResolves = checked.endpointResolves;
  }
}

export class RegisteredAgentDto extends AgentDto {
  @Shown.Nested(() => RegistrationReportDto)
  readonly report: RegistrationReportDto;

  constructor(registration: Registration, health: AgentHealthView, references: ShownReferences) {
    super(registration.agent, health, [], references);
    this.report = new RegistrationReportDto(registration);
  }
}

export class RefreshedAgentDto extends AgentDto {
  @Shown.Nested(() => CardChangeDto, {
    list: true,
    description: 'Empty when the card is as it was.',
  })
  readonly changes: readonly CardChangeDto[];

  constructor(
    { agent, changes }: Refreshed,
    health: AgentHealthView,
    deviations: readonly Deviation[],
    references: ShownReferences,
    organizationCredentials: readonly string[],
  ) {
    super(agent, health, deviations, references, agent.endpoint, organizationCredentials);
    this.changes = changes;
  }
}

export class LastHourDto {
  @Shown.Num({ description: COUNTED.calls })
  readonly calls!: number;

  @Shown.Num({ description: 'Of these, those that failed.' })
  readonly errors!: number;

  @Shown.Num({ description: COUNTED.completed })
  readonly completed!: number;

  @Shown.Num({ description: COUNTED.failed })
  readonly failed!: number;

  constructor(hour: HourOfAgent) {
    fill<LastHourDto>(this, hour);
  }
}

/** An agent in the list. */
export class ListedAgentDto extends AgentDto {
  @Shown.Nested(() => LastHourDto, {
    description:
      'Its calls by all processes and the tasks that ended at it in the last hour. What was counted in the last three seconds may be missing.',
  })
  readonly lastHour: LastHourDto;

  constructor(hour: HourOfAgent, ...shown: ConstructorParameters<typeof AgentDto>) {
    super(...shown);
    this.lastHour = new LastHourDto(hour);
  }
}
