import { describe, expect, it } from '@jest/globals';
import { type AgentFailureKind } from '../../binding/public-failure.js';
import { type HealthSign, signOf } from './health-sign.js';

type Detail = { code?: number; httpStatus?: number; agentUnasked?: boolean };
type Row = [what: string, AgentFailureKind, Detail, HealthSign];

const ROWS: Row[] = [
  ['no connection', 'unreachable', {}, 'fault'],
  ['a cut before the first answer', 'interrupted', {}, 'fault'],
  ['something that is not A2A', 'invalid', {}, 'fault'],
  ['an unknown task', 'not-found', { code: -32001 }, 'alive'],
  ['invalid params', 'rejected', { code: -32602, httpStatus: 200 }, 'alive'],
  ['an unsupported operation', 'rejected', { code: -32004 }, 'alive'],
  [
    'invalid params with the HTTP status of REST',
    'rejected',
    { code: -32602, httpStatus: 400 },
    'alive',
  ],
  ['an internal error', 'rejected', { code: -32603, httpStatus: 200 }, 'fault'],
  ['HTTP 500', 'rejected', { httpStatus: 500 }, 'fault'],
  ['HTTP 503', 'rejected', { httpStatus: 503 }, 'fault'],
  ['a redirect', 'rejected', { httpStatus: 302 }, 'fault'],
  ['refused credentials', 'rejected', { httpStatus: 401 }, 'fault'],
  ['no such path', 'rejected', { httpStatus: 404 }, 'fault'],
  ['too many requests', 'rejected', { httpStatus: 429 }, 'fault'],
  ['a message that is too large', 'rejected', { httpStatus: 413 }, 'alive'],
  ['a message the hub could not send', 'rejected', {}, 'nothing'],
  ['a caller the hub could not sign', 'unreachable', { agentUnasked: true }, 'nothing'],
];

describe('what a failed call says of its agent', () => {
  it.each(ROWS)('%s (%s %j): %s', (_what, kind, detail, sign) => {
    expect(signOf({ kind, detail })).toBe(sign);
  });
});
