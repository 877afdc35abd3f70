import { ID } from '../../common/id-pattern.js';
import { declaredList } from '../declared-list.js';
import { declaredSubscriptions } from '../declared-subscriptions.js';
import { choice, duration, flag, number, optionalHttpUrl, optionalText } from '../setting-kinds.js';
import { Section } from '../setting.js';
import { SECOND } from '../units.js';

const COMPOSITE_SKILLS =
  'a list of composite skills (in a file only), each with id, name, description and steps, and ' +
  'optionally tags, examples, inputModes, outputModes, organizations, enabled, deadlineSeconds, ' +
  'maxCalls; see docs/orchestration.md';
const POLICIES =
  'a list of policies (in a file only), each with id and text, and optionally organization, description, enabled, tests; see docs/policies.md';
const RULES =
  'a list of rules (in a file only), each with name and target, and optionally id, ' +
  'enabled, conditions; see docs/routing-rules.md';

/** How agents are chosen, and what is declared in the file for it. */
export const ROUTING_SETTINGS = {
  routing: new Section('How agents are chosen.', {
    defaultAgent: optionalText({
      default: null,
      pattern: ID,
      allowed: "an agent's id, or null",
      description:
        'The agent that gets a message which nothing else routes. Null: such a message is rejected.',
    }),
    enforceMediaTypes: flag({
      default: false,
      description:
        'Whether agents are excluded that do not list the media types of a message, or none that the client accepts; otherwise they are only ranked after those that do.',
    }),
    text: flag({
      default: true,
      description:
        'Whether the text of a message that names no agent, skill or tags is compared with the names, tags, examples and descriptions of skills.',
    }),
    textThreshold: number({
      min: 0,
      max: 1,
      decimals: true,
      default: 0.4,
      description:
        'The minimum score at which the text decides; 0.5 is one word in the name of a skill that no other skill has, or two words in its description.',
    }),
    external: new Section(
      'An external router that is consulted about messages which name no agent, skill or tags; docs/routing.md has its contract.',
      {
        url: optionalHttpUrl({
          default: null,
          description: 'The URL of the external router, called by POST. Null: no external router.',
        }),
        token: optionalText({
          default: null,
          pattern: /^[\x21-\x7e]+$/,
          allowed: 'printable characters without spaces, or null',
          description: 'Sent to the external router as a Bearer token; required with a url.',
          secret: true,
        }),
        timeoutMs: duration({
          min: 10,
          max: 10 * SECOND,
          default: 300,
          description:
            "How long the external router may take to answer; after that the hub's own order is used.",
        }),
      },
    ),
  }),

  compositeSkills: declaredList(COMPOSITE_SKILLS, {
    default: [],
    description:
      'Composite skills: named plans of steps that agents carry out, each published as one skill of the hub. They exist beside those created through the API; a change of the file takes effect while the hub runs.',
  }),

  policies: new Section(
    'Who may ask which agent for what, in the policy language Cedar: docs/policies.md.',
    {
      default: choice(['permit', 'deny'], {
        default: 'permit',
        description:
          'permit: whoever may use an agent by its organizations may ask it for everything that no policy forbids. deny: for what a policy permits alone, and nothing without policies.',
      }),
      declared: declaredList(POLICIES, {
        default: [],
        description:
          'Policies beside those created through the API; a change of the file takes effect while the hub runs.',
      }),
    },
  ),

  rules: declaredList(RULES, {
    default: [],
    description:
      'Routing rules, evaluated in this order before those created through the API. A change of the file takes effect while the hub runs.',
  }),

  subscriptions: declaredSubscriptions({
    default: [],
    description:
      'Subscriptions: webhooks for all tasks of an organization, or those of some agents, tags or states. They exist beside those created through the API; a change of the file takes effect while the hub runs.',
  }),
} as const;
