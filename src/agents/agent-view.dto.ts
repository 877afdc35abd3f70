import { ApiProperty } from '@nestjs/swagger';
import { AgentCard } from '../protocol/a2a.js';
import { AgentEndpointDto, AgentInterfaceDto, BudgetsDto, CardChangeDto } from './agent.dto.js';
import type { Agent } from './agent.js';
import type { Refreshed, Registration } from './agents.service.js';

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

  @ApiProperty({ type: [String], description: "The operator's tags; skills have their own." })
  readonly tags: readonly string[];

  @ApiProperty({ enum: ['api', 'config'], description: 'config: declared in the configuration.' })
  readonly source: Agent['source'];

  @ApiProperty({ type: AgentEndpointDto, description: 'What the hub calls.' })
  readonly endpoint: AgentEndpointDto;

  @ApiProperty({ type: String, nullable: true })
  readonly endpointOverride: string | null;

  @ApiProperty({ type: BudgetsDto, description: 'Only what differs from the defaults.' })
  readonly budgets: Agent['budgets'];

  @ApiProperty({ type: String, nullable: true, description: 'Where the card was found.' })
  readonly cardUrl: string | null;

  @ApiProperty({ type: [String], description: 'Names of the headers sent when reading the card.' })
  readonly cardHeaders: readonly string[];

  @ApiProperty({ type: [String], description: 'Names of the headers sent with every call.' })
  readonly credentials: readonly string[];

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

  constructor(agent: Agent) {
    this.id = agent.id;
    this.name = agent.card.name;
    this.description = agent.card.description;
    this.enabled = agent.enabled;
    this.priority = agent.priority;
    this.tags = agent.tags;
    this.source = agent.source;
    this.endpoint = agent.endpoint;
    this.endpointOverride = agent.endpointOverride;
    this.budgets = agent.budgets;
    this.cardUrl = agent.cardUrl;
    this.cardHeaders = Object.keys(agent.cardHeaders);
    this.credentials = Object.keys(agent.credentials);
    this.card = AgentCard.toJSON(agent.card);
    this.createdAt = agent.createdAt.toISOString();
    this.updatedAt = agent.updatedAt.toISOString();
  }
}

/** What was found out about a new agent. */
export class RegistrationReportDto {
  @ApiProperty({ type: [AgentInterfaceDto], description: 'Every interface of the card, judged.' })
  readonly interfaces: readonly AgentInterfaceDto[];

  @ApiProperty({ type: Boolean, description: "False: the endpoint's host does not resolve now." })
  readonly verified: boolean;

  constructor({ intake }: Registration) {
    this.interfaces = intake.interfaces;
    this.verified = intake.verified;
  }
}

export class RegisteredAgentDto extends AgentDto {
  @ApiProperty({ type: RegistrationReportDto })
  readonly report: RegistrationReportDto;

  constructor(registration: Registration) {
    super(registration.agent);
    this.report = new RegistrationReportDto(registration);
  }
}

export class RefreshedAgentDto extends AgentDto {
  @ApiProperty({ type: [CardChangeDto], description: 'Empty when the card is as it was.' })
  readonly changes: readonly CardChangeDto[];

  constructor({ agent, changes }: Refreshed) {
    super(agent);
    this.changes = changes;
  }
}

export class AgentPageDto {
  @ApiProperty({ type: [AgentDto] })
  readonly items!: readonly AgentDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}
