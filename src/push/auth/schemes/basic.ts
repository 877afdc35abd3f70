import { invalidField } from '../../../common/hub-error.js';
import { refuseControl, refuseUnprintable } from '../domain/header-values.js';
import { required, withoutControls } from './rules.js';
import { type Proving, type Scheme, carry } from './scheme.js';

/** RFC 7617. */
export const basic = {
  name: 'basic',
  client: {
    label: 'Basic',
    aliases: ['basic'],
    read: (given, names, field) => {
      const credentials = required(given, names, field);
      refuseControl(credentials, field);
      if (!credentials.includes(':')) {
        refuseUnprintable(credentials, field);
        if (!isEncodedPair(credentials)) {
          throw invalidField(field, 'must be user:password, or its base64');
        }
      }
      return { scheme: 'basic', credentials, profile: null };
    },
    prove: (proving) => carryBasic(proving, proving.credentials()),
  },
  profile: {
    parameters: {
      username: {
        required: true,
        rule: (value) =>
          withoutControls(value) === undefined && !value.includes(':')
            ? undefined
            : 'must not contain a colon or control characters',
      },
    },
    secret: { label: 'password', rule: withoutControls },
    prove: (proving) =>
      carryBasic(proving, `${proving.parameters.username ?? ''}:${proving.secret}`),
  },
} as const satisfies Scheme;

/** Takes `user:password` or its base64: a pair has a colon, which base64 never has. */
function carryBasic(proving: Proving, credentials: string): void {
  const isPair = credentials.includes(':');
  const pair = isPair ? credentials : Buffer.from(credentials, 'base64').toString('utf8');
  const encoded = isPair ? Buffer.from(credentials, 'utf8').toString('base64') : credentials;
  const password = pair.slice(pair.indexOf(':') + 1);
  const forms = [credentials, `Basic ${encoded}`, encoded, pair, password];
  carry(proving, { authorization: `Basic ${encoded}` }, forms);
}

/** Base64, padded or not, of `user:password` (RFC 7617 §2). */
function isEncodedPair(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  const isBase64 = bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  return isBase64 && bytes.includes(':');
}
