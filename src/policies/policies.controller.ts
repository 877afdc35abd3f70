import {
  Body,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AdminController } from '../common/http/admin-controller.js';
import { ChangesNothing } from '../common/http/audited-route.js';
import { QueryFlag, Text } from '../common/http/fields.js';
import { versionsWanted, versionTag } from '../common/http/if-match.js';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import { PageType } from '../common/http/page-type.js';
import { NAME } from '../common/http/text-forms.js';
import type { Page } from '../common/page.js';
import type { Policy } from './domain/policy.js';
import { PoliciesService } from './policies.service.js';
import {
  PatchPolicyDto,
  PolicyDecisionDto,
  PolicyDryRunDto,
  PolicyDto,
  PolicyVersionDto,
  WrittenPolicyDto,
} from './policy.dto.js';

class PolicyQueryDto extends PageQueryDto {
  @Text({ optional: true, like: NAME, description: 'Only those of this organization.' })
  organization?: string;
}

class ChangePolicyQueryDto {
  @QueryFlag({
    optional: true,
    default: 'false',
    description: 'Makes the change even if tests of other policies fail by it.',
  })
  force?: boolean;
}

const IF_MATCH = {
  name: 'If-Match',
  required: false,
  description: 'The ETag of the version that is meant: refused with 409 when there is a newer one.',
};

@AdminController('policies', 'api/v1', 'access')
export class PoliciesController {
  constructor(private readonly policies: PoliciesService) {}

  @Post('policies')
  @ApiOperation({
    summary: 'Create a policy: who may ask which agent for what.',
    description:
      'The answer has `warnings` of what is most likely meant otherwise. Refused (400) with what is wrong and where when its text does not fit the schema, when one of its tests fails, and when one of another policy would fail that passes without it.',
  })
  @ApiCreatedResponse({ type: PolicyDto })
  async create(
    @Body() body: WrittenPolicyDto,
    @Query() { force }: ChangePolicyQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PolicyDto> {
    return this.shown(
      await this.policies.create({ ...body, organization: body.organization ?? null }, force),
      reply,
    );
  }

  @Get('policies')
  @ApiOperation({ summary: 'List policies: those of the configuration, then by id.' })
  @ApiOkResponse({ type: PageType(PolicyDto) })
  async list(@Query() { organization, limit, cursor }: PolicyQueryDto): Promise<Page<PolicyDto>> {
    const page = this.policies.list(organization, limit, cursor);
    return { ...page, items: await this.dtosOf(page.items) };
  }

  @Post('policies::dry-run')
  @ChangesNothing()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Ask the policies what a caller may do, by which policy and why, without doing it.',
    description:
      'Agents and skills have the tags that they are registered with where none are given; with tags they need not be registered. An agent that is disabled, or not for the organization of the caller, is refused as the hub would refuse it. The scopes of the caller are what policies see; whether they suffice for a call is not looked at.',
  })
  @ApiOkResponse({ type: PolicyDecisionDto })
  async dryRun(
    @Body() { policy, eachSkill, ...question }: PolicyDryRunDto,
  ): Promise<PolicyDecisionDto> {
    const tried = policy && { ...policy, organization: policy.organization ?? null };
    return new PolicyDecisionDto(await this.policies.decide(question, tried, eachSkill));
  }

  @Get('policies/:id')
  @ApiOperation({ summary: 'Get a policy.' })
  @ApiOkResponse({ type: PolicyDto })
  get(
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PolicyDto> {
    return this.shown(this.policies.get(id), reply);
  }

  @Get('policies/:id/versions')
  @ApiOperation({ summary: 'List what a policy was at its newest 100 versions, newest first.' })
  @ApiOkResponse({ type: [PolicyVersionDto] })
  async versions(@Param('id') id: string): Promise<PolicyVersionDto[]> {
    return (await this.policies.versions(id)).map((version) => new PolicyVersionDto(version));
  }

  @Patch('policies/:id')
  @ApiOperation({
    summary: 'Change a policy, or put it out of force.',
    description: 'Refused (400) as a new one is.',
  })
  @ApiHeader(IF_MATCH)
  @ApiOkResponse({ type: PolicyDto })
  async patch(
    @Param('id') id: string,
    @Body() body: PatchPolicyDto,
    @Query() { force }: ChangePolicyQueryDto,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PolicyDto> {
    const { description, ...others } = body;
    const change =
      description === undefined ? others : { ...others, description: description ?? '' };
    return this.shown(await this.policies.patch(id, change, versionsWanted(ifMatch), force), reply);
  }

  @Delete('policies/:id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a policy with its versions.',
    description: 'Refused (400) when tests of other policies would fail that pass with it.',
  })
  @ApiHeader(IF_MATCH)
  @ApiNoContentResponse()
  async remove(
    @Param('id') id: string,
    @Query() { force }: ChangePolicyQueryDto,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.policies.remove(id, versionsWanted(ifMatch), force);
  }

  private async shown(policy: Policy, reply: FastifyReply): Promise<PolicyDto> {
    void reply.header('etag', versionTag(policy.version));
    const [shown] = await this.dtosOf([policy]);
    return shown!;
  }

  private async dtosOf(policies: readonly Policy[]): Promise<PolicyDto[]> {
    const warnings = await this.policies.warnings(policies);
    return policies.map((policy, at) => new PolicyDto(policy, warnings[at] ?? []));
  }
}
