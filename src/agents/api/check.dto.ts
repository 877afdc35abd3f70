import { FILE_FORMS } from '../binding/file-forms.js';
import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../common/http/fields.js';
import { AgentCard } from '../../protocol/a2a.js';
import { requiredSecurity } from '../card/required-security.js';
import type { ProbeReport } from '../check/agent-probe.js';
import { DOES, type Does, OUTCOMES, type Outcome } from '../check/domain/findings.js';
import type { Recommendation } from '../check/domain/recommend.js';
import type { Registration } from '../registration/agents.service.js';
import { DEVIATION_KINDS, type DeviationKind } from '../registry/agent-deviations.js';
import {
  AgentEndpointDto,
  AgentInterfaceDto,
  RequiredSecurityDto,
  CardSignatureDto,
  CardTroubleDto,
} from './agent-card.dto.js';

export class RecommendationDto implements Recommendation {
  @Shown.Json({
    nullable: true,
    description:
      'The body of a PATCH of the agent that applies it. Null: no setting of the hub helps.',
  })
  readonly patch!: Recommendation['patch'];

  @Shown.Text()
  readonly why!: string;
}

const does = (description: string) => ApiProperty({ enum: DOES, description });

/** What one message has shown of the agent. */
export class ProbeReportDto implements ProbeReport {
  @Shown.Choice(OUTCOMES, {
    description:
      'answered: it answered with a message, or its task ended or waits for its client; late: it was still working at the deadline, or sent nothing; unreachable: it did not get the message; refused: it did not accept the message; unreadable: its answer is not A2A; broke-off: the connection broke.',
  })
  readonly outcome!: Outcome;

  @Shown.Text({
    nullable: true,
    description:
      'What went wrong, or why its task failed. The agent is quoted, with 500 characters at most, unless only egress.allow opens its address, or it is called over gRPC.',
  })
  readonly error!: string | null;

  @Shown.Nested(() => AgentEndpointDto, {
    description: 'The interface that answered, and its protocol version.',
  })
  readonly endpoint!: ProbeReport['endpoint'];

  @Shown.Text({
    nullable: true,
    description: 'The last state of its task, or message.',
    example: 'completed',
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

  @Shown.Text({
    list: true,
    description:
      'Why the outcome of GetTask, ListTasks or CancelTask is unclear; the agent is quoted as in `error`.',
  })
  readonly doubts!: readonly string[];

  @Shown.Choice(FILE_FORMS, {
    nullable: true,
    description:
      'How its server encodes the bytes of files over HTTP+JSON and gRPC of 0.3; null elsewhere. The hub adapts by itself.',
  })
  readonly files!: ProbeReport['files'];

  @Shown.Choice(DEVIATION_KINDS, {
    list: true,
    description: 'Known deviations from the protocol that the hub tolerated.',
  })
  readonly deviations!: readonly DeviationKind[];

  @Shown.Num({ nullable: true, description: 'To its first event or answer.' })
  readonly firstAnswerMs!: number | null;

  @Shown.Num({ nullable: true, description: 'To the end of its task.' })
  readonly endMs!: number | null;

  @Shown.Text({ nullable: true, description: 'The name its server gives in its answers.' })
  readonly server!: string | null;

  @Shown.Text({
    nullable: true,
    description:
      'Why the hub takes it for a protocol older than A2A 0.2, with which agents cannot be registered.',
  })
  readonly oldWire!: string | null;

  @Shown.Nested(() => RecommendationDto, { list: true, description: 'The most important first.' })
  readonly recommendations!: readonly RecommendationDto[];
}

/** What the hub would call, and what it found out. */
export class AgentCheckDto {
  @Shown.Text()
  readonly name: string;

  @Shown.Text({ nullable: true, description: 'Where the card was found.' })
  readonly cardUrl: string | null;

  @Shown.Nested(() => AgentEndpointDto, { description: 'What the hub would call first.' })
  readonly endpoint: AgentEndpointDto;

  @Shown.Nested(() => AgentInterfaceDto, {
    list: true,
    description: 'Every interface of the card and whether the hub can call it.',
  })
  readonly interfaces: readonly AgentInterfaceDto[];

  @Shown.Flag({ description: "Whether the endpoint's host resolves now." })
  readonly endpointResolves: boolean;

  @Shown.Nested(() => CardSignatureDto)
  readonly signature: CardSignatureDto;

  @Shown.Nested(() => CardTroubleDto, { nullable: true })
  readonly cardTrouble: CardTroubleDto | null;

  @Shown.Nested(() => RequiredSecurityDto, {
    list: true,
    description:
      'What the card asks callers for (`securityRequirements`, `security`), one of which is enough, and what of it is not set. It is a hint: nothing is refused for it.',
  })
  readonly security: readonly RequiredSecurityDto[];

  @Shown.Json({ description: 'The card in the 1.0 form, whatever version the agent serves.' })
  readonly card: unknown;

  @Shown.Nested(() => ProbeReportDto, { nullable: true, description: 'Null without `probe`.' })
  readonly probe: ProbeReportDto | null;

  constructor({ agent, checked, probe }: Registration) {
    this.name = agent.card.name;
    this.cardUrl = agent.cardUrl;
    this.endpoint = agent.endpoint;
    this.interfaces = checked.interfaces;
    this.endpointResolves = checked.endpointResolves;
    this.signature = agent.signature;
    this.security = requiredSecurity(agent);
    this.cardTrouble = agent.cardTrouble && new CardTroubleDto(agent.cardTrouble);
    this.card = AgentCard.toJSON(agent.card);
    this.probe = probe;
  }
}
