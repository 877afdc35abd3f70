import { expect, it } from '@jest/globals';
import { returnPlace } from './return-place.js';

it.each([
  ['/console/', '/console/'],
  ['/console/tasks/1?state=failed#top', '/console/tasks/1?state=failed#top'],
  ['/console/a/../b', '/console/b'],
  ['/console/signals', '/console/signals'],
])('goes back to %s', (requested, place) => {
  expect(returnPlace(requested)).toBe(place);
});

it.each([
  null,
  '',
  'console/',
  '/console',
  '/consolation/',
  '//evil.example/console/',
  '/\\evil.example/console/',
  '/console/..//evil.example',
  '/console/../api/v1/agents',
  '/console/%2e%2e/api',
  'https://evil.example/console/',
  'javascript:alert(1)',
  '/console/sign-in?issuer=a',
  '/console/sign-out',
  '/console/\r\nSet-Cookie: a=b',
  '/console/é',
  `/console/${'a'.repeat(600)}`,
])('goes to the console itself for %j', (requested) => {
  expect(returnPlace(requested)).toBe('/console/');
});
