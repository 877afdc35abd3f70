import { Choice, Flag, Nested, Shown, Text } from '../common/http/fields.js';
import { ID, NAME, ORGANIZATION_ID, SENTENCE, TEXT } from '../common/http/text-forms.js';
import type { FieldViolation } from '../common/hub-error.js';
import { fill } from '../common/http/view.js';
import { RECORD_SOURCES, type RecordSource } from '../common/record-source.js';
import { SCOPES, type Scope } from '../common/scope.js';
import type { FailingTests } from './check-policy.js';
import {
  type DecidingPolicy,
  OPERATIONS,
  type Policy,
  POLICY_LIMITS,
  type PolicyOperation,
  type PolicyTest,
  SIGN_INS,
  type SignInKind,
} from './domain/policy.js';
import type { EachSkill, TriedDecision } from './policies.service.js';
import type { PolicyVersion } from './policy-store.js';

const LIST = { optional: true, list: { max: POLICY_LIMITS.entries }, like: NAME } as const;

/** A caller, by what policies can ask of it. */
export class PolicyCallerDto {
  @Text({
    optional: true,
    like: NAME,
    description:
      'Its principal id. A dry run takes the organization and the own groups of the hub of a principal that there is. Default: `somebody`.',
  })
  id?: string;

  @Text({ optional: true, like: NAME, description: 'Default: that of the policy, else `default`.' })
  organization?: string;

  @Text({ ...LIST, description: 'The groups its issuer says it is in.' })
  groups?: string[];

  @Choice(SCOPES, { optional: true, list: true, description: 'Default: `a2a`.' })
  scopes?: Scope[];

  @Choice(SIGN_INS, { optional: true, description: 'Default: `key`.' })
  signIn?: SignInKind;

  @Text({
    optional: true,
    like: NAME,
    description: 'Of the token, or `certificate:NAME`. Default: none.',
  })
  issuer?: string;
}

/** What is asked of the policies. */
export class PolicyQuestionDto {
  @Nested(() => PolicyCallerDto, { optional: true })
  caller: PolicyCallerDto = {};

  @Choice(OPERATIONS, { optional: true, default: 'SendMessage' })
  operation?: PolicyOperation;

  @Text({ optional: true, like: NAME, description: 'The agent that SendMessage is for.' })
  agentId?: string;

  @Text({ ...LIST, description: 'The tags that operators gave the agent.' })
  agentTags?: string[];

  @Text({
    optional: true,
    like: NAME,
    description: 'The skill of the agent that is asked for. Default: the agent itself.',
  })
  skillId?: string;

  @Text({ ...LIST, description: 'The tags of the skill.' })
  tags?: string[];
}

export class PolicyTestDto extends PolicyQuestionDto implements PolicyTest {
  @Text({ like: NAME })
  name!: string;

  @Choice(['allow', 'deny'])
  expect!: PolicyTest['expect'];
}

export class WrittenPolicyDto {
  @Text({ like: ID, example: 'contractors' })
  id!: string;

  @Text({
    optional: 'or-null',
    like: ORGANIZATION_ID,
    description: 'The organization whose callers it is for. Default: all.',
  })
  organization?: string | null;

  @Text({ optional: true, like: SENTENCE })
  description?: string;

  @Flag({ optional: true, default: true })
  enabled?: boolean;

  @Text({
    like: TEXT,
    max: POLICY_LIMITS.text,
    description: 'Statements of Cedar.',
    example: 'forbid(principal in Group::"contractors", action, resource in Tag::"finance");',
  })
  text!: string;

  @Nested(() => PolicyTestDto, {
    optional: true,
    list: { max: POLICY_LIMITS.tests },
    description:
      'Questions with their answers: it is saved only if all policies together answer so, and a change of another one that makes one fail is refused.',
  })
  tests?: PolicyTestDto[];
}

export class PatchPolicyDto {
  @Text({ optional: 'or-null', like: SENTENCE, description: 'Null takes it away.' })
  description?: string | null;

  @Flag({ optional: true })
  enabled?: boolean;

  @Text({ optional: true, like: TEXT, max: POLICY_LIMITS.text })
  text?: string;

  @Nested(() => PolicyTestDto, { optional: true, list: { max: POLICY_LIMITS.tests } })
  tests?: PolicyTestDto[];
}

/** A question to the policies there are, or as they would be with another text for one of them. */
export class PolicyDryRunDto extends PolicyQuestionDto {
  @Nested(() => WrittenPolicyDto, {
    optional: true,
    description:
      'An unsaved policy, in addition to the saved ones or instead of the one with its id.',
  })
  policy?: WrittenPolicyDto;

  @Flag({
    optional: true,
    description:
      'Decide about each skill of the agent as well, named by itself; without `skillId` only.',
  })
  eachSkill?: boolean;
}

export class DecidingPolicyDto {
  @Shown.Text({ description: '`built-in`: the hub itself, by `policies.default`.' })
  readonly id!: string;

  @Shown.Choice(['permit', 'forbid'])
  readonly effect!: DecidingPolicy['effect'];

  @Shown.Text({ nullable: true, description: 'Its annotation `@reason`.' })
  readonly reason!: string | null;

  constructor(policy: DecidingPolicy) {
    fill<DecidingPolicyDto>(this, policy);
  }
}

/** A test that fails. */
export class FailingPolicyTestDto implements FieldViolation {
  @Shown.Text({
    description: '`policy.tests[0]`, or `policies[ID].tests[0]` of another policy.',
  })
  readonly field!: string;

  @Shown.Text({ description: 'Its name, what it expects, and what is decided.' })
  readonly description!: string;

  constructor(failing: FieldViolation) {
    fill<FailingPolicyTestDto>(this, failing);
  }
}

/** What is decided of one skill of an agent. */
export class SkillDecisionDto {
  @Shown.Text()
  readonly skillId!: string;

  @Shown.Choice(['allow', 'deny'])
  readonly decision!: 'allow' | 'deny';

  @Shown.Nested(() => DecidingPolicyDto, { list: true })
  readonly policies!: readonly DecidingPolicyDto[];

  @Shown.Text({ description: 'Why, in a sentence.' })
  readonly why!: string;

  constructor({ skillId, isAllowed, policies, why }: EachSkill['decided'][number]) {
    fill<SkillDecisionDto>(this, {
      skillId,
      decision: isAllowed ? 'allow' : 'deny',
      policies: policies.map((each) => new DecidingPolicyDto(each)),
      why,
    });
  }
}

const WARNINGS =
  'What is most likely meant otherwise, a sentence each: statements that name an agent by `==`, which leave its skills as they are; names of agents, skills, principals and organizations that there are not (the first 50 of each are looked up).';

export class PolicyDecisionDto {
  @Shown.Choice(['allow', 'deny'])
  readonly decision!: 'allow' | 'deny';

  @Shown.Nested(() => DecidingPolicyDto, {
    list: true,
    description:
      'Which decided: the forbids if there are any, else the permits. None: nothing permits it.',
  })
  readonly policies!: readonly DecidingPolicyDto[];

  @Shown.Text({
    nullable: true,
    list: true,
    description:
      'The tags of the agent that it was decided with. Null: no agent was meant, or none is registered.',
  })
  readonly agentTags!: readonly string[] | null;

  @Shown.Text({
    nullable: true,
    list: true,
    description:
      'The tags of the skill that it was decided with. Null: no skill was meant, or none is registered.',
  })
  readonly tags!: readonly string[] | null;

  @Shown.Text({ description: 'Why, in a sentence.' })
  readonly why!: string;

  @Shown.Nested(() => FailingPolicyTestDto, {
    nullable: true,
    list: true,
    description:
      'The tests that would fail if `policy` were saved: its own, and those of others that pass without it. Null: no policy was given.',
  })
  readonly failingTests!: readonly FailingPolicyTestDto[] | null;

  @Shown.Text({
    nullable: true,
    list: true,
    description: `Also of a caller that there is not. ${WARNINGS} Null: there is nothing to warn of in the caller, and no policy was given.`,
  })
  readonly warnings!: readonly string[] | null;

  @Shown.Nested(() => SkillDecisionDto, {
    nullable: true,
    list: true,
    description:
      'With `eachSkill`: what is decided of each skill, as its card has them, at most 100. Who names one needs this alone: a skill may be open where the agent by its name is not.',
  })
  readonly skills!: readonly SkillDecisionDto[] | null;

  @Shown.Num({ nullable: true, description: 'How many skills there are beyond these.' })
  readonly moreSkills!: number | null;

  constructor({ resource, failing, warnings, why, skills, ...decision }: TriedDecision) {
    fill<PolicyDecisionDto>(this, {
      decision: decision.isAllowed ? 'allow' : 'deny',
      policies: decision.policies.map((each) => new DecidingPolicyDto(each)),
      agentTags: resource?.agentTags ?? null,
      tags: resource === null || resource.skillId === null ? null : resource.tags,
      why,
      failingTests: failing && shownTests(failing),
      warnings,
      skills: skills && skills.decided.map((each) => new SkillDecisionDto(each)),
      moreSkills: skills && skills.more,
    });
  }
}

function shownTests({ own, others }: FailingTests): FailingPolicyTestDto[] {
  const ofPolicy = own.map(({ field, ...each }) => ({ ...each, field: `policy.${field}` }));
  return [...ofPolicy, ...others].map((each) => new FailingPolicyTestDto(each));
}

export class PolicyDto {
  @Shown.Text()
  readonly id!: string;

  @Shown.Num({ description: 'Raised by every change; the ETag.' })
  readonly version!: number;

  @Shown.Text({ nullable: true, description: 'Null: for the callers of all organizations.' })
  readonly organization!: string | null;

  @Shown.Text()
  readonly description!: string;

  @Shown.Flag()
  readonly enabled!: boolean;

  @Shown.Text()
  readonly text!: string;

  @Shown.Nested(() => PolicyTestDto, { list: true })
  readonly tests!: readonly PolicyTest[];

  @Shown.Choice(RECORD_SOURCES, {
    description: '`config`: declared in YAML, and changed there only.',
  })
  readonly source!: RecordSource;

  @Shown.Time({ nullable: true })
  readonly createdAt!: string | null;

  @Shown.Time({ nullable: true })
  readonly updatedAt!: string | null;

  @Shown.Text({ list: true, description: WARNINGS })
  readonly warnings!: readonly string[];

  constructor(policy: Policy, warnings: readonly string[]) {
    fill<PolicyDto>(this, { ...policy, warnings });
  }
}

/** What a policy was. */
export class PolicyVersionDto {
  @Shown.Num()
  readonly version!: number;

  @Shown.Time()
  readonly at!: string;

  @Shown.Text()
  readonly description!: string;

  @Shown.Flag()
  readonly enabled!: boolean;

  @Shown.Text()
  readonly text!: string;

  @Shown.Nested(() => PolicyTestDto, { list: true })
  readonly tests!: readonly PolicyTest[];

  constructor({ version, at, description, enabled, text, tests }: PolicyVersion) {
    fill<PolicyVersionDto>(this, { version, at, description, enabled, text, tests });
  }
}
