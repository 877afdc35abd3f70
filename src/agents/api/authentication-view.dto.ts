import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import type { Agent } from '../agent.js';
import { AUTHENTICATION_TYPES } from '../agent-authentication.js';
import { Locked } from '../endpoint/sealed-json.js';

/** How the hub gets what proves it to an agent, without secrets. */
export class AuthenticationViewDto {
  @Shown.Choice([...AUTHENTICATION_TYPES, 'locked'], {
    description: 'locked: what is stored is encrypted with a key that the hub does not have.',
  })
  readonly type!: string;

  @Shown.Text({ optional: true })
  readonly tokenUrl?: string;

  @Shown.Text({ optional: true })
  readonly issuer?: string;

  @Shown.Text({ optional: true })
  readonly authorizationUrl?: string;

  @Shown.Text({ optional: true })
  readonly clientId?: string;

  @Shown.Text({ optional: true })
  readonly clientAuthentication?: string;

  @Shown.Text({ optional: true, list: true })
  readonly scopes?: readonly string[];

  @Shown.Text({ optional: true })
  readonly audience?: string;

  @Shown.Text({ optional: true })
  readonly resource?: string;

  @Shown.Text({ optional: true })
  readonly requestedTokenType?: string;

  @Shown.Text({ optional: true })
  readonly subject?: string;

  @Shown.Flag({ optional: true })
  readonly actor?: boolean;

  @Shown.Text({ optional: true, list: true })
  readonly issuers?: readonly string[];

  constructor(authentication: NonNullable<Agent['authentication']>) {
    const isLocked = authentication instanceof Locked;
    fill<AuthenticationViewDto>(this, isLocked ? { type: 'locked' } : { ...authentication });
  }
}
