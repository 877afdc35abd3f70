import { ApiProperty } from '@nestjs/swagger';
import {
  AgentEndpointDto,
  AgentInterfaceDto,
  CardSignatureDto,
  CardTroubleDto,
} from './agent-card.dto.js';
import { DEVIATION_KINDS, type DeviationKind } from '../registry/agent-deviations.js';
import type { Registration } from '../registration/agents.service.js';
import type { ProbeReport } from '../check/agent-probe.js';
import { DOES, type Does, OUTCOMES, type Outcome } from '../check/domain/findings.js';
import type { Recommendation } from '../check/domain/recommend.js';

export class RecommendationDto implements Recommendation {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'The body of a PATCH of the agent that applies it. Null: no setting of the hub helps.',
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
      'answered: it answered with a message, or its task ended or waits for its client; late: it was still working at the deadline, or sent nothing; unreachable: it did not get the message; refused: it did not accept the message; unreadable: its answer is not A2A; broke-off: the connection broke.',
  })
  readonly outcome!: Outcome;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'What went wrong, or why its task failed. The agent is quoted, with 500 characters at most, unless only egress.allow opens its address, or it is called over gRPC.',
  })
  readonly error!: string | null;

  @ApiProperty({
    type: AgentEndpointDto,
    description: 'The interface that answered, and its protocol version.',
  })
  readonly endpoint!: ProbeReport['endpoint'];

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'completed',
    description: 'The last state of its task, or message.',
  })
  readonly answer!: string | null;

  @does('Whether it streams. not-tested: its card does not say so, or a switch is off.')
  readonly streams!: Does;

  @does('Whether it answers GetTask.')
  readonly answersGetTask!: Does;

  @does('Whether it answers ListTasks; tested in 1.0 only.')
  readonly listsTasks!: Does;

  @does('Whether it knows CancelTask. A task that goes on after the probe is canceled by it.')
  readonly cancels!: Does;

  @ApiProperty({
    type: [String],
    description:
      'Why the outcome of GetTask, ListTasks or CancelTask is unclear; the agent is quoted as in `error`.',
  })
  readonly doubts!: readonly string[];

  @ApiProperty({
    enum: ['once', 'twice'],
    nullable: true,
    description:
      'How its server encodes the bytes of files over HTTP+JSON and gRPC of 0.3; null elsewhere. The hub adapts by itself.',
  })
  readonly files!: ProbeReport['files'];

  @ApiProperty({
    enum: DEVIATION_KINDS,
    isArray: true,
    description: 'Known deviations from the protocol that the hub tolerated.',
  })
  readonly deviations!: readonly DeviationKind[];

  @ApiProperty({ type: Number, nullable: true, description: 'To its first event or answer.' })
  readonly firstAnswerMs!: number | null;

  @ApiProperty({ type: Number, nullable: true, description: 'To the end of its task.' })
  readonly endMs!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name its server gives in its answers.',
  })
  readonly server!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Why the hub takes it for a protocol older than A2A 0.2, with which agents cannot be registered.',
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

  @ApiProperty({
    type: [AgentInterfaceDto],
    description: 'Every interface of the card and whether the hub can call it.',
  })
  readonly interfaces: readonly AgentInterfaceDto[];

  @ApiProperty({ type: Boolean, description: "Whether the endpoint's host resolves now." })
  readonly endpointResolves: boolean;

  @ApiProperty({ type: CardSignatureDto })
  readonly signature: CardSignatureDto;

  @ApiProperty({ type: CardTroubleDto, nullable: true })
  readonly cardTrouble: CardTroubleDto | null;

  @ApiProperty({ type: ProbeReportDto, nullable: true, description: 'Null without `probe`.' })
  readonly probe: ProbeReportDto | null;

  constructor({ agent, checked, probe }: Registration) {
    this.name = agent.card.name;
    this.cardUrl = agent.cardUrl;
    this.endpoint = agent.endpoint;
    this.interfaces = checked.interfaces;
    this.endpointResolves = checked.endpointResolves;
    this.signature = agent.signature;
    this.cardTrouble = agent.cardTrouble && new CardTroubleDto(agent.cardTrouble);
    this.probe = probe;
  }
}
