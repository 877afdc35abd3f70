import { nameOf, PRINCIPAL_NAME } from '../../audit/index.js';
import { Shown, Text } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { ID, NAME } from '../../common/http/text-forms.js';
import { fill } from '../../common/http/view.js';
import type { ConsentRecord } from '../consents/consent.js';

export class ConsentQueryDto extends PageQueryDto {
  @Text({ optional: true, like: NAME, description: 'Only those of this principal.' })
  principal?: string;

  @Text({ optional: true, like: ID, description: 'Only those for this agent.' })
  agent?: string;
}

/** A consent without its tokens. */
export class ConsentDto {
  @Shown.Text()
  readonly id!: string;

  @Shown.Text({ description: 'In whose name the agent is called.' })
  readonly principal!: string;

  @Shown.Text(PRINCIPAL_NAME)
  readonly principalName!: string | null;

  @Shown.Text()
  readonly organization!: string;

  @Shown.Text()
  readonly agent!: string;

  @Shown.Text({ description: 'The provider at which it was given.' })
  readonly server!: string;

  @Shown.Text({ nullable: true, description: 'What was consented to.' })
  readonly scope!: string | null;

  @Shown.Time()
  readonly createdAt!: string;

  constructor(
    { principalId, agentId, ...consent }: ConsentRecord,
    names: ReadonlyMap<string, string>,
  ) {
    fill<ConsentDto>(this, {
      principal: principalId,
      principalName: nameOf(names, principalId),
      agent: agentId,
      ...consent,
    });
  }
}
