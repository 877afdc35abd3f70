import { describe, expect, it } from '@jest/globals';
import { SCOPES, type Scope } from '../common/scope.js';
import { lackingScope } from './lacking-scope.js';
import { principalOf } from './principal.js';

const issuer = {
  id: 'acme',
  issuer: 'https://login.example',
  grants: {
    everyone: [],
    scopes: new Map<string, readonly Scope[]>([
      ['hub.operate', ['admin']],
      ['hub.call', ['a2a']],
    ]),
    groups: new Map<string, readonly Scope[]>([['team', ['agents']]]),
  },
};

function lacking(needed: readonly [Scope, ...Scope[]], of?: string, issuers = [issuer]) {
  const caller = principalOf({ id: 'p', organization: 'o', scopes: [], ...(of && { issuer: of }) });
  const { reason, message, metadata, refusal } = lackingScope(needed, caller, issuers);
  expect([reason, refusal]).toEqual(['PERMISSION_DENIED', { scope: needed[0] }]);
  return { message, metadata };
}

describe('a caller without a scope of the hub', () => {
  it.each([undefined, 'certificate:x'])('and without a token (%s) learns which', (of) => {
    for (const scope of SCOPES) {
      const message = `This needs a key or token with the scope ${scope}.`;
      expect(lacking([scope], of)).toEqual({ message, metadata: { scope } });
    }
    expect(lacking(['access', 'audit']).message).toContain('with the scope access or audit.');
  });

  it('learns what of its issuer gives it, that of an administrator last', () => {
    expect(lacking(['a2a'], issuer.issuer)).toEqual({
      message:
        'This needs the scope a2a of the hub, which an access token has with the scope hub.call or hub.operate (which gives admin).',
      metadata: { scope: 'hub.call', hubScope: 'a2a' },
    });
    expect(lacking(['agents:organization'], issuer.issuer).message).toBe(
      'This needs the scope agents:organization of the hub, which an access token has with the scope hub.operate (which gives admin), or of a caller in the group team (which gives agents).',
    );
  });

  it('learns that nothing of its issuer gives it', () => {
    const poor = { ...issuer, grants: { ...issuer.grants, scopes: new Map() } };
    const { message, metadata } = lacking(['audit'], issuer.issuer, [poor]);
    expect(message).toContain('which no scope or group of the issuer acme gives');
    expect(metadata).toEqual({ hubScope: 'audit' });
  });
});
