import { Choice, Text, Url } from '../../common/http/fields.js';
import { ORGANIZATION_ID } from '../../common/http/text-forms.js';
import { HUB_CALLER_SCOPES, type HubCallerScope } from './trusted-hub.js';

const HTTP = ['http', 'https'] as const;
const MAX_URL = 2048;

/** An entry of `auth.hubs`. */
export class HubDto {
  @Url({ schemes: HTTP, max: 500, example: 'https://hub.partner.example' })
  issuer!: string;

  @Url({
    optional: true,
    schemes: HTTP,
    max: MAX_URL,
    example: 'https://hub.partner.example/.well-known/jwks.json',
  })
  jwksUrl?: string;

  /** Principals. */
  @Text({ min: 1, max: 100, list: { min: 1, max: 20, unique: true } })
  callers!: string[];

  @Text({ optional: true, min: 1, max: 500, list: { min: 1, max: 20, unique: true } })
  audiences?: string[];

  @Text({ optional: true, like: ORGANIZATION_ID })
  organization?: string;

  @Text({ optional: true, like: ORGANIZATION_ID, list: { min: 1, max: 1000, unique: true } })
  organizations?: string[];

  @Choice(HUB_CALLER_SCOPES, { optional: true, list: { min: 1, unique: true } })
  scopes?: HubCallerScope[];
}
