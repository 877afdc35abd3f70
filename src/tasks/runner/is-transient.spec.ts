import { describe, expect, it } from '@jest/globals';
import { AgentCallError } from '../../agents/index.js';
import { isBusy, isBusyOrAway, isMissed, isTransient } from './is-transient.js';

type Arguments = ConstructorParameters<typeof AgentCallError>;
type Case = readonly [what: string, kind: Arguments[0], detail?: Arguments[2]];

const MISSED: readonly Case[] = [
  ['the agent was not reached', 'unreachable'],
  ['the connection broke', 'interrupted'],
];

const AWAY: readonly Case[] = [
  ['HTTP 500', 'rejected', { httpStatus: 500 }],
  ['HTTP 507', 'rejected', { httpStatus: 507 }],
];

const BUSY: readonly Case[] = [
  ['HTTP 429', 'rejected', { httpStatus: 429 }],
  ['HTTP 503', 'rejected', { httpStatus: 503 }],
  ['HTTP 503 around an error of JSON-RPC', 'rejected', { httpStatus: 503, code: -32603 }],
  ['RESOURCE_EXHAUSTED of gRPC', 'rejected', { httpStatus: 429 }],
  ['a hub that limits requests', 'rejected', { code: -31429, hubRefusal: 'RATE_LIMITED' }],
  ['a hub that is not available', 'rejected', { httpStatus: 503, hubRefusal: 'UNAVAILABLE' }],
  ['a hub whose agents are busy', 'rejected', { hubRefusal: 'AGENT_BUSY' }],
];

const LASTING: readonly Case[] = [
  ['an unknown task', 'not-found', { code: -32001 }],
  ['garbage', 'invalid'],
  ['an internal error of A2A', 'rejected', { httpStatus: 500, code: -32603 }],
  ['no such operation', 'rejected', { httpStatus: 501 }],
  ['refused credentials', 'rejected', { httpStatus: 401 }],
  ['a refusal without a status', 'rejected'],
  ['a spent quota', 'rejected', { httpStatus: 429, hubRefusal: 'QUOTA_EXCEEDED' }],
  ['a loop of hubs', 'rejected', { httpStatus: 503, hubRefusal: 'LOOP' }],
];

const errorOf = ([, kind, detail]: Case): AgentCallError => new AgentCallError(kind, 'x', detail);

describe('a failed call', () => {
  it.each([...MISSED, ...AWAY, ...BUSY])('is worth another one: %s', (...each) => {
    expect(isTransient(errorOf(each))).toBe(true);
  });

  it.each([...MISSED, ...BUSY])('has been missed by the agent: %s', (...each) => {
    expect(isMissed(errorOf(each))).toBe(true);
  });

  it.each(BUSY)('says that the agent is busy: %s', (...each) => {
    expect([isBusy(errorOf(each)), isBusyOrAway(errorOf(each))]).toEqual([true, true]);
  });

  it.each(AWAY)('says that it is away, though it may have had the call: %s', (...each) => {
    const error = errorOf(each);
    expect([isBusyOrAway(error), isBusy(error), isMissed(error)]).toEqual([true, false, false]);
  });

  it.each(LASTING)('is what the next one would be: %s', (...each) => {
    const error = errorOf(each);
    expect([isTransient(error), isMissed(error), isBusyOrAway(error)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
