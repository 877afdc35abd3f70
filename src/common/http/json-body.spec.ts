import { describe, expect, it } from '@jest/globals';
import type { HubError } from '../hub-error.js';
import { bodyFault } from './json-body.js';

const NO_JSON = new Error('Body is not valid JSON');

describe('the fault of a body that was refused', () => {
  it.each(['{"a":{"__proto__":{}}}', '\uFEFF{"__proto__":1}'])('is a key in %j', (body) => {
    const fault = bodyFault(body, NO_JSON) as HubError;
    expect([fault.reason, fault.message]).toEqual([
      'INVALID_PARAMS',
      expect.stringContaining('"__proto__"'),
    ]);
  });

  it.each(['{', '{"__proto__":', ''])('is its syntax in %j', (body) => {
    expect(bodyFault(body, NO_JSON)).toBe(NO_JSON);
  });
});
