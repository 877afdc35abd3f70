import { nameOf, type PrincipalNames } from '../audit/index.js';
import { Choice, Flag, Shown, Text } from '../common/http/fields.js';
import { NAME } from '../common/http/text-forms.js';
import { fill } from '../common/http/view.js';
import { DATA_JOB_STATES, type DataJob, type DataJobState, type DataProgress } from './data-job.js';

export class DataOwnerDto {
  @Text({ optional: true, like: NAME, description: 'All data of this organization.' })
  organization?: string;

  @Text({ optional: true, like: NAME, description: 'All data of this principal, by its id.' })
  principal?: string;
}

export class DataDeletionRequestDto extends DataOwnerDto {
  @Text({ like: NAME, description: 'The same name once more: a deletion cannot be undone.' })
  confirm!: string;

  @Choice(['mapping'], {
    optional: true,
    description:
      '`mapping`: delete only the keys of the principal and what its issuer knows it as. Its tasks and all else stay, under an id that does not say whose they are. Of an organization: of all its principals; it stays disabled. Default: all data.',
  })
  only?: 'mapping';

  @Flag({
    optional: true,
    default: true,
    description:
      'Whoever signed in may not sign in again until the block is lifted. With false, the next sign-in makes a new principal.',
  })
  block?: boolean;
}

/** An export or a deletion. */
export class DataJobDto {
  @Shown.Text({ example: '0199f1c2-8d11-7b52-9c3e-4a5b6c7d8e9f' })
  readonly id!: string;

  @Shown.Choice(DATA_JOB_STATES, {
    description: 'An export waits until its content is read, and may be read again.',
  })
  readonly state!: DataJobState;

  @Shown.Text({ nullable: true, example: 'acme' })
  readonly organization!: string | null;

  @Shown.Text({ nullable: true, example: null })
  readonly principal!: string | null;

  @Shown.Text({
    nullable: true,
    description: 'What people know that principal as; null without a name.',
  })
  readonly principalName!: string | null;

  @Shown.Flag({ description: 'Of a deletion: only the mapping of the id to a person.' })
  readonly mappingOnly!: boolean;

  @Shown.Flag({ description: 'Of a deletion: whoever signed in may not sign in again.' })
  readonly block!: boolean;

  @Shown.Text({ description: 'The principal that asked for it.', example: 'admin' })
  readonly requestedBy!: string;

  @Shown.Text({ nullable: true, description: 'What people know it as; null without a name.' })
  readonly requestedByName!: string | null;

  @Shown.Json({
    description: 'By kind of data: how many records were counted and how many are done.',
    example: { tasks: { counted: 120, done: 64 } },
  })
  readonly progress!: DataProgress;

  @Shown.Text({ nullable: true, description: 'Why it failed.', example: null })
  readonly error!: string | null;

  @Shown.Text({
    nullable: true,
    description:
      'Once it is done: a JWS in compact form, signed by a key of /.well-known/jwks.json, of what was exported or deleted.',
    example: null,
  })
  readonly receipt!: string | null;

  @Shown.Time()
  readonly createdAt!: string;

  @Shown.Time({ nullable: true })
  readonly startedAt!: string | null;

  @Shown.Time({ nullable: true })
  readonly endedAt!: string | null;

  constructor(
    { owner, isMappingOnly, blocks, ...job }: DataJob,
    names: ReadonlyMap<string, string>,
  ) {
    const principal = 'principal' in owner ? owner.principal : null;
    fill<DataJobDto>(this, {
      ...job,
      organization: 'organization' in owner ? owner.organization : null,
      principal,
      principalName: nameOf(names, principal),
      requestedByName: nameOf(names, job.requestedBy),
      mappingOnly: isMappingOnly,
      block: blocks,
    });
  }
}

/** Exports or deletions, with the names of the principals that they name. */
export async function jobViews(
  jobs: readonly DataJob[],
  names: PrincipalNames,
): Promise<DataJobDto[]> {
  const found = await names.of(
    jobs.flatMap(({ owner, requestedBy }) =>
      'principal' in owner ? [owner.principal, requestedBy] : [requestedBy],
    ),
  );
  return jobs.map((job) => new DataJobDto(job, found));
}

/** The same of one. */
export async function jobView(job: DataJob, names: PrincipalNames): Promise<DataJobDto> {
  return (await jobViews([job], names))[0]!;
}
