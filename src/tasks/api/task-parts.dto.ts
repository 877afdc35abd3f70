import { nameOf } from '../../audit/index.js';
import type { Operator } from '../../auth/index.js';
import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import type { Retry } from '../../routing/index.js';
import type { AgentTrouble, Attempt } from '../task.js';

/** An agent that did not take the message, or was passed over. */
export class AttemptDto {
  @Shown.Text({ example: 'translator-eu' }) readonly agentId!: string;
  @Shown.Text({ example: 'Translator (EU)' }) readonly agentName!: string;
  @Shown.Text({ nullable: true, example: 'translate' })
  readonly skillId!: string | null;
  @Shown.Time({ nullable: true })
  readonly calledAt!: string | null;
  @Shown.Time() readonly endedAt!: string;
  @Shown.Text({
    description: 'Why it did not accept the message.',
    example: 'Translator (EU) could not be reached.',
  })
  readonly why!: string;

  constructor({ agentId, agentName, skillId, calledAt, endedAt, why }: Attempt) {
    fill<AttemptDto>(this, {
      agentId,
      agentName,
      skillId: skillId ?? null,
      calledAt: timeOf(calledAt),
      endedAt: new Date(endedAt).toISOString(),
      why,
    });
  }
}

/** What exactly was wrong with a call to an agent. */
export class AgentTroubleDto {
  @Shown.Text() readonly agentId!: string;
  @Shown.Time() readonly at!: string;
  @Shown.Text({ example: 'invalid' }) readonly kind!: string;
  @Shown.Num({ nullable: true, description: 'The code of a JSON-RPC error.' })
  readonly code!: number | null;
  @Shown.Num({ nullable: true }) readonly httpStatus!: number | null;
  @Shown.Text({ description: 'The error text of the agent or the network, truncated.' })
  readonly text!: string;

  constructor({ agentId, at, kind, code, httpStatus, text }: AgentTrouble) {
    fill<AgentTroubleDto>(this, {
      agentId,
      at: new Date(at).toISOString(),
      kind,
      code: code ?? null,
      httpStatus: httpStatus ?? null,
      text,
    });
  }
}

/** Who reads, and what people know principals as. */
export interface NameReader {
  /** With the scope `tasks:all`: the error texts of agents are shown too, and which agents the caller may not use. */
  readonly isAdmin: boolean;
  /** What people know principals as, by their ids. */
  readonly principalNames: ReadonlyMap<string, string>;
}

/** An operator that has acted on behalf of a client. */
export class OperatorDto {
  @Shown.Text() readonly principalId: string;
  @Shown.Text({
    nullable: true,
    description:
      'What people know the principal as; null without a name, and without the scope `tasks:all`.',
  })
  readonly principalName: string | null;
  @Shown.Text({ nullable: true, description: 'Null: the configured admin key.' })
  readonly keyId: string | null;
  @Shown.Text({ nullable: true }) readonly reason: string | null;

  constructor({ principalId, keyId, reason }: Operator, { isAdmin, principalNames }: NameReader) {
    this.principalId = principalId;
    this.principalName = isAdmin ? nameOf(principalNames, principalId) : null;
    this.keyId = keyId ?? null;
    this.reason = reason ?? null;
  }
}

/** The task that this one retries, and the operator that requested it. */
export class RetryDto {
  @Shown.Text() readonly taskId: string;
  @Shown.Nested(() => OperatorDto) readonly by: OperatorDto;

  constructor({ taskId, by }: Retry, reader: NameReader) {
    this.taskId = taskId;
    this.by = new OperatorDto(by, reader);
  }
}

/** A time in epoch milliseconds, as the admin API writes it. */
export function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
