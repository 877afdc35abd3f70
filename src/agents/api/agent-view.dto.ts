import { BINDING_NAMES } from '../binding/bindings.js';
import { ApiProperty } from '@nestjs/swagger';
import { AgentCard } from '../../protocol/a2a.js';
import {
  AgentEndpointDto,
  AgentInterfaceDto,
  CardChangeDto,
  CardSignatureDto,
  CardTroubleDto,
} from './agent-card.dto.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import { BudgetsDto } from '../request/budgets.dto.js';
import { SwitchesDto } from '../request/switches.dto.js';
import { ProbeReportDto } from './check.dto.js';
import { judgedInterfaces } from '../endpoint/choose-endpoint.js';
import {
  DEVIATION_KINDS,
  type Deviation,
  type DeviationKind,
  DEVIATIONS,
} from '../registry/agent-deviations.js';
import { AgentHealthDto } from '../health/agent-health.dto.js';
import type { AgentHealthView } from '../health/agent-monitor.js';
import type { Refreshed, Registration } from '../registration/agents.service.js';

/** Something in which an agent differs from A2A and the hub takes it all the same. */
export class AgentDeviationDto {
  @ApiProperty({ enum: DEVIATION_KINDS })
  readonly kind: DeviationKind;

  @ApiProperty({ type: String, description: 'A description for people.' })
  readonly what: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When it was first seen.' })
  readonly since: string;

  constructor({ kind, since }: Deviation) {
    this.kind = kind;
    this.what = DEVIATIONS[kind];
    this.since = since.toISOString();
  }
}

/** An agent as the API shows it. Of headers there are only names: their values are secrets. */
export class AgentDto {
  @ApiProperty({ type: String })
  readonly id: string;

  @ApiProperty({ type: String })
  readonly name: string;

  @ApiProperty({ type: String })
  readonly description: string;

  @ApiProperty({ type: Boolean })
  readonly enabled: boolean;

  @ApiProperty({ type: Number })
  readonly priority: number;

  @ApiProperty({ type: Number, description: 'Its share of the work among equals.' })
  readonly weight: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Delegations at once from one process; null: tasks.maxPerAgent.',
  })
  readonly maxConcurrent: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Delegations that may be queued for it; null: agents.maxQueue.',
  })
  readonly maxQueue: number | null;

  @ApiProperty({
    type: AgentHealthDto,
    description: 'As seen by the process that answers this request.',
  })
  readonly health: AgentHealthDto;

  @ApiProperty({ type: [String], description: "The operator's tags; skills have their own." })
  readonly tags: readonly string[];

  @ApiProperty({ enum: ['api', 'config'], description: 'config: declared in the configuration.' })
  readonly source: Agent['source'];

  @ApiProperty({ type: AgentEndpointDto, description: 'The interface that the hub calls first.' })
  readonly endpoint: AgentEndpointDto;

  @ApiProperty({
    type: AgentEndpointDto,
    description:
      'The interface that this process calls now: another one while the first does not answer, or an older version where the agent refused the version in its card.',
  })
  readonly endpointNow: AgentEndpointDto;

  @ApiProperty({ type: String, nullable: true })
  readonly endpointOverride: string | null;

  @ApiProperty({
    enum: BINDING_NAMES,
    nullable: true,
    description: "The operator's choice; null: the hub's.",
  })
  readonly protocolBinding: Agent['pin']['protocolBinding'];

  @ApiProperty({
    enum: ['1.0', '0.3'],
    nullable: true,
    description: "The operator's choice; null: the hub's.",
  })
  readonly protocolVersion: Agent['pin']['protocolVersion'];

  @ApiProperty({
    type: [AgentInterfaceDto],
    description: 'Every interface of the card and whether the hub can call it.',
  })
  readonly interfaces: readonly AgentInterfaceDto[];

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'The organizations that may use it; null: everybody.',
  })
  readonly organizations: readonly string[] | null;

  @ApiProperty({
    type: CardSignatureDto,
    description: "The result of verifying the card's signature.",
  })
  readonly signature: CardSignatureDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The public keys pinned for the card.',
  })
  readonly cardKeys: Agent['cardKeys'];

  @ApiProperty({ type: BudgetsDto, description: 'Only what differs from the defaults.' })
  readonly budgets: Agent['budgets'];

  @ApiProperty({ type: SwitchesDto, description: 'Only those that are set.' })
  readonly switches: Agent['switches'];

  @ApiProperty({
    type: CardTroubleDto,
    nullable: true,
    description: 'The problem with its card; null: none is known.',
  })
  readonly cardTrouble: CardTroubleDto | null;

  @ApiProperty({
    type: [AgentDeviationDto],
    description:
      'Known deviations from the protocol that this process has tolerated since it started, oldest first.',
  })
  readonly deviations: readonly AgentDeviationDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Where the card was found.' })
  readonly cardUrl: string | null;

  @ApiProperty({ type: [String], description: 'Names of the headers sent when reading the card.' })
  readonly cardHeaders: readonly string[];

  @ApiProperty({ type: [String], description: 'Names of the headers sent with every call.' })
  readonly credentials: readonly string[];

  @ApiProperty({
    type: [String],
    description:
      'The origins the credentials are sent to: those of the agent when they were given. The agent is not called at other origins.',
  })
  readonly credentialOrigins: readonly string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The card in the 1.0 form, whatever version the agent serves.',
  })
  readonly card: unknown;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly createdAt: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly updatedAt: string;

  constructor(
    agent: Agent,
    health: AgentHealthView,
    deviations: readonly Deviation[],
    endpointNow: AgentEndpoint = agent.endpoint,
  ) {
    this.id = agent.id;
    this.name = agent.card.name;
    this.description = agent.card.description;
    this.enabled = agent.enabled;
    this.priority = agent.priority;
    this.weight = agent.weight;
    this.maxConcurrent = agent.maxConcurrent;
    this.maxQueue = agent.maxQueue;
    this.health = new AgentHealthDto(health);
    this.tags = agent.tags;
    this.source = agent.source;
    this.endpoint = agent.endpoint;
    this.endpointNow = endpointNow;
    this.endpointOverride = agent.endpointOverride;
    this.protocolBinding = agent.pin.protocolBinding;
    this.protocolVersion = agent.pin.protocolVersion;
    this.interfaces = judgedInterfaces(agent.card, agent);
    this.organizations = agent.organizations;
    this.signature = agent.signature;
    this.cardKeys = agent.cardKeys;
    this.budgets = agent.budgets;
    this.switches = agent.switches;
    this.cardTrouble = agent.cardTrouble && new CardTroubleDto(agent.cardTrouble);
    this.deviations = deviations.map((deviation) => new AgentDeviationDto(deviation));
    this.cardUrl = agent.cardUrl;
    this.cardHeaders = Object.keys(agent.cardHeaders);
    this.credentials = Object.keys(agent.credentials);
    this.credentialOrigins = agent.credentialOrigins;
    this.card = AgentCard.toJSON(agent.card);
    this.createdAt = agent.createdAt.toISOString();
    this.updatedAt = agent.updatedAt.toISOString();
  }
}

/** What was found out about a new agent. */
export class RegistrationReportDto {
  @ApiProperty({
    type: [AgentInterfaceDto],
    description: 'Every interface of the card and whether the hub can call it.',
  })
  readonly interfaces: readonly AgentInterfaceDto[];

  @ApiProperty({ type: Boolean, description: "Whether the endpoint's host resolves now." })
  readonly endpointResolves: boolean;

  @ApiProperty({ type: ProbeReportDto, nullable: true, description: 'Null without `probe`.' })
  readonly probe: ProbeReportDto | null;

  constructor({ checked, probe }: Registration) {
    this.interfaces = checked.interfaces;
    this.probe = probe;
    this.endpointResolves = checked.endpointResolves;
  }
}

export class RegisteredAgentDto extends AgentDto {
  @ApiProperty({ type: RegistrationReportDto })
  readonly report: RegistrationReportDto;

  constructor(registration: Registration, health: AgentHealthView) {
    super(registration.agent, health, []);
    this.report = new RegistrationReportDto(registration);
  }
}

export class RefreshedAgentDto extends AgentDto {
  @ApiProperty({ type: [CardChangeDto], description: 'Empty when the card is as it was.' })
  readonly changes: readonly CardChangeDto[];

  constructor(
    { agent, changes }: Refreshed,
    health: AgentHealthView,
    deviations: readonly Deviation[],
  ) {
    super(agent, health, deviations);
    this.changes = changes;
  }
}

export class AgentPageDto {
  @ApiProperty({ type: [AgentDto] })
  readonly items!: readonly AgentDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}
