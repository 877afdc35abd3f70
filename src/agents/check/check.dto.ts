import { ApiProperty } from '@nestjs/swagger';
import {
  AgentEndpointDto,
  AgentInterfaceDto,
  CardSignatureDto,
  CardTroubleDto,
} from '../agent-card.dto.js';
import { QUIRK_KINDS, type QuirkKind } from '../agent-quirks.js';
import type { Registration } from '../agents.service.js';
import type { ProbeReport } from './agent-probe.js';
import { DOES, type Does, OUTCOMES, type Outcome } from './domain/findings.js';
import type { Recommendation } from './domain/recommend.js';

export class RecommendationDto implements Recommendation {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The body of a PATCH of the agent. Null: the hub has nothing to set for it.',
  })
  readonly patch!: Recommendation['patch'];

  @ApiProperty({ type: String })
  readonly why!: string;
}

const does = (description: string) => ApiProperty({ enum: DOES, description });

/** What one message has shown of the agent. */
export class ProbeReportDto implements ProbeReport {
  @ApiProperty({
    enum: OUTCOMES,
    description:
      'answered: it answered with a message, or its task has ended or waits for its client; late: it goes on at the deadline, or nothing has come; unreachable and refused: it has not got the message, or not accepted it; unreadable: its answer is not A2A; broke-off: the connection broke.',
  })
  readonly outcome!: Outcome;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'What went wrong, or why its task failed. The agent is quoted, with 500 characters at most, unless only egress.allow opens its address, or it is called over gRPC.',
  })
  readonly error!: string | null;

  @ApiProperty({ type: AgentEndpointDto, description: 'What answered, in the version it speaks.' })
  readonly endpoint!: ProbeReport['endpoint'];

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'completed',
    description: 'The last state of its task, or message.',
  })
  readonly answer!: string | null;

  @does('Whether it streams. not-asked: its card does not say so, or a switch is off.')
  readonly streams!: Does;

  @does('Whether it can be asked for its task.')
  readonly answersGetTask!: Does;

  @does('Whether it lists its tasks; asked in 1.0 only.')
  readonly listsTasks!: Does;

  @does('Whether it knows CancelTask. A task that goes on after the probe is canceled by it.')
  readonly cancels!: Does;

  @ApiProperty({
    type: [String],
    description:
      'Why what is unclear of GetTask, ListTasks and CancelTask is so; the agent is quoted as in `error`.',
  })
  readonly doubts!: readonly string[];

  @ApiProperty({
    enum: ['once', 'twice'],
    nullable: true,
    description:
      'How its server has the bytes of files over HTTP+JSON and gRPC of 0.3; null elsewhere. The hub acts on it by itself.',
  })
  readonly files!: ProbeReport['files'];

  @ApiProperty({ enum: QUIRK_KINDS, isArray: true, description: 'What it was forgiven.' })
  readonly quirks!: readonly QuirkKind[];

  @ApiProperty({ type: Number, nullable: true, description: 'To its first event or answer.' })
  readonly firstAnswerMs!: number | null;

  @ApiProperty({ type: Number, nullable: true, description: 'To the end of its task.' })
  readonly endMs!: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'What its server calls itself.' })
  readonly server!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why it speaks a protocol from before A2A 0.2, for which registering is refused.',
  })
  readonly oldWire!: string | null;

  @ApiProperty({ type: [RecommendationDto], description: 'The most important first.' })
  readonly recommendations!: readonly RecommendationDto[];
}

/** What the hub would call, and what it found out. */
export class AgentCheckDto {
  @ApiProperty({ type: String })
  readonly name: string;

  @ApiProperty({ type: String, nullable: true, description: 'Where the card was found.' })
  readonly cardUrl: string | null;

  @ApiProperty({ type: AgentEndpointDto, description: 'What the hub would call first.' })
  readonly endpoint: AgentEndpointDto;

  @ApiProperty({ type: [AgentInterfaceDto], description: 'Every interface of the card, judged.' })
  readonly interfaces: readonly AgentInterfaceDto[];

  @ApiProperty({ type: Boolean, description: "Whether the endpoint's host resolves now." })
  readonly endpointResolves: boolean;

  @ApiProperty({ type: CardSignatureDto })
  readonly signature: CardSignatureDto;

  @ApiProperty({ type: CardTroubleDto, nullable: true })
  readonly cardTrouble: CardTroubleDto | null;

  @ApiProperty({ type: ProbeReportDto, nullable: true, description: 'Null without `probe`.' })
  readonly probe: ProbeReportDto | null;

  constructor({ agent, intake, probe }: Registration) {
    this.name = agent.card.name;
    this.cardUrl = agent.cardUrl;
    this.endpoint = agent.endpoint;
    this.interfaces = intake.interfaces;
    this.endpointResolves = intake.endpointResolves;
    this.signature = agent.signature;
    this.cardTrouble = agent.cardTrouble && new CardTroubleDto(agent.cardTrouble);
    this.probe = probe;
  }
}
