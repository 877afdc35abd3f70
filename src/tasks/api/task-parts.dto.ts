import { ApiProperty } from '@nestjs/swagger';
import type { Operator } from '../../auth/index.js';
import type { Retry } from '../../routing/index.js';
import type { AgentTrouble, Attempt } from '../task.js';

/** An agent that did not take the message, or was passed over. */
export class AttemptDto {
  @ApiProperty({ type: String, example: 'translator-eu' }) readonly agentId: string;
  @ApiProperty({ type: String, example: 'Translator (EU)' }) readonly agentName: string;
  @ApiProperty({ type: String, nullable: true, example: 'translate' })
  readonly skillId: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly calledAt: string | null;
  @ApiProperty({ type: String, format: 'date-time' }) readonly endedAt: string;
  @ApiProperty({
    type: String,
    description: 'Why it did not accept the message.',
    example: 'Translator (EU) could not be reached.',
  })
  readonly why: string;

  constructor({ agentId, agentName, skillId, calledAt, endedAt, why }: Attempt) {
    this.agentId = agentId;
    this.agentName = agentName;
    this.skillId = skillId ?? null;
    this.calledAt = timeOf(calledAt);
    this.endedAt = new Date(endedAt).toISOString();
    this.why = why;
  }
}

/** What exactly was wrong with a call to an agent. */
export class AgentTroubleDto {
  @ApiProperty({ type: String }) readonly agentId: string;
  @ApiProperty({ type: String, format: 'date-time' }) readonly at: string;
  @ApiProperty({ type: String, example: 'invalid' }) readonly kind: string;
  @ApiProperty({ type: Number, nullable: true, description: 'The code of a JSON-RPC error.' })
  readonly code: number | null;
  @ApiProperty({ type: Number, nullable: true }) readonly httpStatus: number | null;
  @ApiProperty({
    type: String,
    description: 'The error text of the agent or the network, truncated.',
  })
  readonly text: string;

  constructor({ agentId, at, kind, code, httpStatus, text }: AgentTrouble) {
    this.agentId = agentId;
    this.at = new Date(at).toISOString();
    this.kind = kind;
    this.code = code ?? null;
    this.httpStatus = httpStatus ?? null;
    this.text = text;
  }
}

/** An operator that has acted on behalf of a client. */
export class OperatorDto {
  @ApiProperty({ type: String }) readonly principalId: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null: the configured admin key.' })
  readonly keyId: string | null;
  @ApiProperty({ type: String, nullable: true }) readonly reason: string | null;

  constructor({ principalId, keyId, reason }: Operator) {
    this.principalId = principalId;
    this.keyId = keyId ?? null;
    this.reason = reason ?? null;
  }
}

/** The task that this one retries, and the operator that requested it. */
export class RetryDto {
  @ApiProperty({ type: String }) readonly taskId: string;
  @ApiProperty({ type: OperatorDto }) readonly by: OperatorDto;

  constructor({ taskId, by }: Retry) {
    this.taskId = taskId;
    this.by = new OperatorDto(by);
  }
}

/** A time in epoch milliseconds, as the admin API writes it. */
export function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
