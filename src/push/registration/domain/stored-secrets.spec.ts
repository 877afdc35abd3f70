import { describe, expect, it } from '@jest/globals';
import { carriedElsewhere } from './stored-secrets.js';

const HERE = 'acme https://hooks.example:443';
const THERE = 'acme https://elsewhere.example:443';
const ALL = {
  endpoint: HERE,
  sealedCredentials: 'sealed',
  sealedToken: 'sealed',
  sealedSigningKeys: 'sealed',
};

describe('carriedElsewhere', () => {
  it('names every secret that another origin would be sent', () => {
    const fields = ['authentication', 'token', 'signingKeys'];
    expect(carriedElsewhere(ALL, { endpoint: THERE })).toEqual(fields);
  });

  it('does not name those that are given anew or taken away, or that there are none of', () => {
    const change = { endpoint: THERE, sealedCredentials: null, sealedToken: 'another' };
    expect(carriedElsewhere(ALL, change)).toEqual(['signingKeys']);
    expect(carriedElsewhere({ ...ALL, sealedSigningKeys: null }, change)).toEqual([]);
  });

  it('lets them stay at the same origin', () => {
    expect(carriedElsewhere(ALL, {})).toEqual([]);
    expect(carriedElsewhere(ALL, { endpoint: HERE })).toEqual([]);
  });
});
