import { describe, expect, it } from '@jest/globals';
import { activatedHeaders } from './call-context.js';

describe('the header of active extensions', () => {
  const active = (...uris: string[]): Set<string> => new Set(uris);

  it('has the name of the version, and is left out when there are none', () => {
    const activated = active('urn:one', 'urn:two');
    expect(activatedHeaders({ activated, version: '1.0' })).toEqual({
      'a2a-extensions': 'urn:one, urn:two',
    });
    expect(activatedHeaders({ activated, version: '0.3' })).toEqual({
      'x-a2a-extensions': 'urn:one, urn:two',
    });
    expect(activatedHeaders({ activated: active(), version: '1.0' })).toEqual({});
  });

  it('leaves out what no header can carry, such as a message may name', () => {
    const activated = active('urn:ünï', 'urn:a,b', 'urn:line\r\nx: y', 'urn:\u2713', '', 'urn:one');
    expect(activatedHeaders({ activated, version: '1.0' })).toEqual({
      'a2a-extensions': 'urn:one',
    });
    expect(activatedHeaders({ activated: active('\u2713'), version: '0.3' })).toEqual({});
  });
});
