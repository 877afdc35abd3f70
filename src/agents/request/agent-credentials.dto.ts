import { Json, Nested } from '../../common/http/fields.js';
import { HEADERS } from './agent-fields.js';
import { AuthenticationDto } from './authentication.dto.js';

export class AgentCredentialsBodyDto {
  @Json({
    ...HEADERS,
    optional: 'or-null',
    description: "Sent with every call for the organization, in place of the agent's own.",
  })
  credentials?: Record<string, unknown>;

  @Nested(() => AuthenticationDto, {
    optional: 'or-null',
    description:
      'How the hub gets an access token for calls for the organization, which goes where `credentials` go.',
  })
  authentication?: AuthenticationDto | null;
}
