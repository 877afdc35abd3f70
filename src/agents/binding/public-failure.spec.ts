import { describe, expect, it } from '@jest/globals';
import { AgentCallError } from './agent-call-error.js';
import { publicFailure } from './public-failure.js';

describe('what clients see of a failed call', () => {
  it.each([
    ['unreachable', {}, 'could not be reached'],
    ['rejected', {}, 'refused the request'],
    [
      'rejected',
      { code: -32005, httpStatus: 400 },
      'refused the request (the content type is not supported, -32005)',
    ],
    [
      'rejected',
      { code: -32602, httpStatus: 200, hubRefusal: 'LOOP' },
      'refused the request (its route is a loop of hubs)',
    ],
    ['rejected', { code: -32050 }, 'refused the request (error -32050)'],
    ['rejected', { code: -4711 }, 'refused the request'],
    ['rejected', { code: -32001.5 }, 'refused the request'],
    ['rejected', { code: 4711, httpStatus: 200 }, 'refused the request'],
    ['rejected', { httpStatus: 503 }, 'answered HTTP 503'],
    ['rejected', { httpStatus: 302 }, 'answered HTTP 302'],
    ['rejected', { httpStatus: 401 }, "does not accept the hub's credentials (HTTP 401)"],
    ['interrupted', {}, 'broke off'],
    ['interrupted', { httpStatus: 502 }, 'broke off (HTTP 502)'],
    ['interrupted', { code: -32603, httpStatus: 200 }, 'broke off (internal error, -32603)'],
    ['invalid', { httpStatus: 200 }, 'gave an answer that is not A2A'],
    ['not-found', { code: -32001 }, 'does not know the task'],
  ] as const)('%s %j: %s', (kind, numbers, words) => {
    expect(publicFailure(kind, numbers)).toBe(words);
  });

  it('has nothing of what the agent or the network said', () => {
    const said = 'no connection to http://10.0.0.7:4711 (ECONNREFUSED)';
    const error = new AgentCallError('unreachable', said, { cause: new Error(said) });
    expect([error.message, error.publicMessage]).toEqual([said, 'could not be reached']);
  });
});
