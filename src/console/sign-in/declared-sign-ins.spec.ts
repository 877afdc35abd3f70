import { expect, it } from '@jest/globals';
import { readDeclaredSignIns } from './declared-sign-ins.js';

const ISSUERS = [{ id: 'company' }, { id: 'partner' }];
const read = (...written: object[]) => readDeclaredSignIns(written as never, ISSUERS);

it('is read with what it need not say', async () => {
  expect(await read({ issuer: 'company', clientId: 'console' })).toEqual([
    {
      ...{ issuerId: 'company', name: 'company', clientId: 'console', clientSecret: null },
      scopes: ['openid'],
    },
  ]);
});

it.each([
  [{ issuer: 'other', clientId: 'a' }, 'console.signIn[0].issuer'],
  [{ issuer: 'company' }, 'console.signIn[0].clientId'],
  [{ issuer: 'company', clientId: 'a', scopes: ['openid email'] }, 'console.signIn[0].scopes'],
  [
    { issuer: 'company', clientId: 'a', clientAuthentication: 'client_secret_post' },
    'console.signIn[0].clientAuthentication',
  ],
  [
    { issuer: 'company', clientId: 'a', clientSecret: 'b', clientSecretRef: 'env:C' },
    'console.signIn[0].clientSecret',
  ],
  [{ issuer: 'company', clientId: 'a', redirectUri: 'b' }, 'console.signIn[0].redirectUri'],
])('is refused: %j', async (entry, key) => {
  await expect(read(entry)).rejects.toMatchObject({ problems: [{ key }] });
});

it('is one for each issuer', async () => {
  const entry = { issuer: 'company', clientId: 'a' };
  await expect(read(entry, entry)).rejects.toMatchObject({
    problems: [{ key: 'console.signIn[1].issuer' }],
  });
});
