import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import type { OrganizationCredentials } from '../agent.js';
import { AgentReferenceDto, referencesOf, type ShownReferences } from './agent-view.dto.js';
import { AuthenticationViewDto } from './authentication-view.dto.js';

/** What an agent is called with for an organization, without secrets. */
export class AgentCredentialsDto {
  @Shown.Text()
  readonly agentId!: string;

  @Shown.Text()
  readonly organization!: string;

  @Shown.Text({ list: true, description: 'Names of the headers sent with every call for it.' })
  readonly credentials!: readonly string[];

  @Shown.Nested(() => AgentReferenceDto, {
    list: true,
    description: 'The headers, and the secrets of `authentication`, that are references.',
  })
  readonly references!: readonly AgentReferenceDto[];

  @Shown.Nested(() => AuthenticationViewDto, { nullable: true })
  readonly authentication!: AuthenticationViewDto | null;

  @Shown.Text({
    list: true,
    description:
      'The origins they are sent to: those of the agent when they were given. The agent is not called at other origins for the organization.',
  })
  readonly credentialOrigins!: readonly string[];

  @Shown.Time()
  readonly updatedAt!: string;

  constructor(
    agentId: string,
    organization: string,
    own: OrganizationCredentials,
    references: ShownReferences,
  ) {
    const { authentication } = own;
    fill<AgentCredentialsDto>(this, {
      ...own,
      agentId,
      organization,
      credentials: Object.keys(own.credentials),
      references: referencesOf({ ...own, cardHeaders: {} }, references),
      authentication: authentication && new AuthenticationViewDto(authentication, references),
    });
  }
}
