import { choice, days, duration, durations, flag, number, size, texts } from '../setting-kinds.js';
import { Section } from '../setting.js';
import { SECOND, MINUTE, HOUR, DAY, KIB, MIB } from '../units.js';

/** Delivery of webhooks. */
export const PUSH_SETTINGS = {
  push: new Section('Delivery of webhooks.', {
    allow: texts({
      default: [],
      description:
        'Hosts and CIDR blocks where webhooks are allowed although they are private or plain http, in the forms of egress.allow: 10.20.0.0/16 for every organization, acme=hooks.internal for the organization acme.',
    }),
    showAllowedAnswers: flag({
      default: false,
      description:
        'Whether answers of receivers that only push.allow permits are recorded and shown to the owners of webhooks; otherwise they see only the status.',
    }),
    verification: choice(['off', 'optional', 'required'], {
      default: 'optional',
      description:
        'Whether receivers must agree to be called (docs/delivery.md). optional: deliveries to receivers that have not agreed are limited by push.unverified; required: they get nothing until they agree, and deliveries wait; off: no agreement is needed.',
    }),
    trustedHosts: texts({
      default: [],
      description:
        'Hosts and CIDR blocks whose receivers are treated as having agreed, in the forms of push.allow: hooks.example.com, *.acme.example for every organization, acme=10.20.0.0/16 for the organization acme. It permits no address that push.allow does not.',
    }),
    unverified: new Section(
      'Limits for receivers that have not agreed to be called; deliveries above them wait.',
      {
        atOnce: number({
          min: 1,
          max: 1000,
          default: 2,
          description: 'Concurrent attempts to one such receiver, counted over all processes.',
        }),
        requestsPerMinute: number({
          min: 1,
          max: 1_000_000,
          default: 600,
          description:
            'Requests per minute to one such receiver; after a minute without any, the whole number may be sent at once.',
        }),
        bytesPerMinute: size({
          min: KIB,
          max: 1024 * MIB,
          default: 2 * MIB,
          description: 'Bytes of request bodies per minute to one such receiver, likewise.',
        }),
        principal: new Section('What one principal may send to all such receivers together.', {
          requestsPerMinute: number({
            min: 1,
            max: 1_000_000,
            default: 1200,
            description: 'Requests in a minute.',
          }),
          bytesPerMinute: size({
            min: KIB,
            max: 1024 * MIB,
            default: 4 * MIB,
            description: 'Bytes of bodies in a minute.',
          }),
          receivers: number({
            min: 1,
            max: 100_000,
            default: 20,
            description: 'Different receivers in ten minutes; deliveries to further ones wait.',
          }),
        }),
      },
    ),
    scheduleMs: durations({
      default: [1, 5, 30, 300, 1800, 7200, 18_000, 36_000, 36_000].map((s) => s * SECOND),
      description:
        'The delays before each retry; after the last one the event becomes a dead letter.',
    }),
    jitter: number({
      min: 0,
      max: 1,
      decimals: true,
      default: 0.2,
      description: 'The random part of each delay, in both directions.',
    }),
    connectTimeoutMs: duration({
      min: 1,
      max: 10 * MINUTE,
      default: 5 * SECOND,
      description: 'How long connecting to a receiver may take.',
    }),
    timeoutMs: duration({
      min: 1,
      max: 10 * MINUTE,
      default: 15 * SECOND,
      description: 'How long one attempt may take in all.',
    }),
    maxConcurrent: number({
      min: 1,
      max: 10_000,
      default: 200,
      description: 'Concurrent attempts of one process, to all endpoints together.',
    }),
    maxPerEndpoint: number({
      min: 1,
      max: 1000,
      default: 10,
      description: 'Concurrent attempts to one endpoint, counted over all processes.',
    }),
    startPerEndpoint: number({
      min: 1,
      max: 1000,
      default: 2,
      description:
        'Concurrent attempts to an endpoint that has not answered yet, or not since it failed; each success doubles it up to maxPerEndpoint.',
    }),
    breaker: new Section(
      'The circuit breaker of an endpoint: while it is open, only one half-open probe at a time is sent.',
      {
        failures: number({
          min: 1,
          max: 1000,
          default: 5,
          description:
            'Consecutive failures after which the breaker opens and deliveries to the endpoint wait.',
        }),
        pauseMs: duration({
          min: 1,
          default: 5 * SECOND,
          description:
            'The delay before the first half-open probe; it doubles with every probe that fails.',
        }),
        maxPauseMs: duration({
          min: 1,
          default: 5 * MINUTE,
          description: 'The longest delay between two half-open probes.',
        }),
      },
    ),
    disableAfterMs: duration({
      min: SECOND,
      default: 120 * HOUR,
      description:
        'After this long with nothing but failures the webhooks of an endpoint are disabled; their waiting events become dead letters.',
    }),
    maxBodyBytes: size({
      min: KIB,
      max: 64 * MIB,
      default: MIB,
      description: 'The largest webhook body; above it a truncated payload with a link is sent.',
    }),
    responseBytes: size({
      name: 'responseLimit',
      min: 0,
      max: MIB,
      default: 4 * KIB,
      description: "How much of a receiver's response is recorded.",
    }),
    retryAfterMaxMs: duration({
      default: HOUR,
      description: 'The longest Retry-After of a receiver that is honoured.',
    }),
    maxSubscriptions: number({
      min: 0,
      max: 10_000,
      default: 100,
      description:
        'Subscriptions that one organization may create through the API; declared ones do not count.',
    }),
    attemptRetentionDays: days({
      min: 1,
      max: 3650,
      default: 30,
      description: 'How long the record of an attempt is kept.',
    }),
    deadLetterRetentionDays: days({
      min: 0,
      max: 3650,
      default: 90,
      description:
        'How long a dead letter is kept; 0d keeps it as long as its task. A deleted one cannot be redelivered.',
    }),
    backlogMaxAgeDays: days({
      min: 1,
      max: 3650,
      default: 30,
      description:
        'The maximum age of events that wait for a paused webhook, or, with push.verification `required`, for a receiver that has to agree first. Until then their task is not deleted, however old; after it, they become dead letters.',
    }),
    rotationOverlapMs: duration({
      max: 30 * DAY,
      default: DAY,
      description:
        'How long requests are also signed with the old key after the key of an auth profile was rotated; a rotation may set another time.',
    }),
  }),
} as const;
