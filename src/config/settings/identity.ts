import { choice, duration, flag, optionalHttpUrl, optionalText, text } from '../setting-kinds.js';
import { Section } from '../setting.js';
import { HOUR, DAY } from '../units.js';

/** The hub's own agent card, and the keys it signs with. */
export const IDENTITY_SETTINGS = {
  card: new Section("The hub's own agent card.", {
    name: text({ default: 'A2A Hub', description: 'The name in the card.' }),
    description: text({
      default: 'One A2A endpoint in front of many agents, chosen by skill.',
      description: 'The description in the card.',
    }),
    version: optionalText({
      default: null,
      description: "The version in the card. Null: the hub's version.",
    }),
    provider: new Section('Who provides the hub; both or neither.', {
      organization: optionalText({ default: null, description: "The provider's name." }),
      url: optionalHttpUrl({ default: null, description: "The provider's website." }),
    }),
    grpcUrl: choice(['address', 'url'], {
      default: 'address',
      description:
        'How cards of 0.x name the gRPC server: address is what 0.3 clients dial (host:port), url is what the 0.3 specification and its conformance kit expect (http://host:port).',
    }),
    sign: flag({
      default: true,
      description: "Whether the hub's card and those of its agents carry signatures of the hub.",
    }),
  }),

  signing: new Section(
    'The keys the hub signs with; their public parts are at /.well-known/jwks.json.',
    {
      rotateEveryMs: duration({
        min: HOUR,
        max: 3650 * DAY,
        default: 90 * DAY,
        description: 'How long a key signs before the next one takes over.',
      }),
      overlapMs: duration({
        max: 365 * DAY,
        default: 7 * DAY,
        description:
          'How long a key is published before it begins to sign and after it has stopped signing; longer than clients cache the published keys or the signed documents. At most half of rotateEvery.',
      }),
    },
  ),
} as const;
