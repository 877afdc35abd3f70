import { Choice, Text, Url } from '../../common/http/fields.js';
import { ID, NAME } from '../../common/http/text-forms.js';
import {
  SECRET_AUTHENTICATIONS,
  type SecretAuthentication,
} from '../../common/oauth/request-token.js';
import { MAX_REFERENCE } from '../../common/secret-references/secret-reference.js';

/** An entry of `console.signIn`. */
export class SignInDto {
  @Text({ like: ID })
  issuer!: string;

  @Text({ optional: true, like: NAME })
  name?: string;

  @Text({ min: 1, max: 500 })
  clientId!: string;

  @Text({ optional: true, min: 1, max: 4096 })
  clientSecret?: string;

  /** Where it is kept; it is read again when it changes there. */
  @Text({ optional: true, max: MAX_REFERENCE })
  clientSecretRef?: string;

  @Choice(SECRET_AUTHENTICATIONS, { optional: true })
  clientAuthentication?: SecretAuthentication;

  @Text({ optional: true, min: 1, max: 200, list: { min: 1, max: 50, unique: true } })
  scopes?: string[];

  @Text({ optional: true, min: 1, max: 500 })
  audience?: string;

  @Url({ optional: true, schemes: ['http', 'https'], max: 2048, example: 'https://hub.example' })
  resource?: string;
}
