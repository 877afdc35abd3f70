import { describe, expect, it } from '@jest/globals';
import { AllowedMethods } from './allowed-methods.js';

describe('AllowedMethods', () => {
  const allowed = new AllowedMethods({ ignoreTrailingSlash: true, maxParamLength: 50 });
  allowed.add('GET', '/agents');
  allowed.add('HEAD', '/agents');
  allowed.add('POST', '/agents');
  allowed.add('DELETE', '/agents/:id');
  allowed.add('POST', '/agents/:id(^[^:]+)::refresh');
  allowed.add('PROPFIND', '/agents');

  it.each([
    ['/agents', ['GET', 'HEAD', 'POST']],
    ['/agents/', ['GET', 'HEAD', 'POST']],
    ['/agents?limit=1', ['GET', 'HEAD', 'POST']],
    ['/agents/a', ['DELETE']],
    ['/agents/a:refresh', ['POST', 'DELETE']],
    ['/agents/a/b', []],
    [`/agents/${'a'.repeat(51)}`, []],
    ['/agents/%zz', []],
    ['/', []],
    ['', []],
  ])('%s takes %j', (url, methods) => {
    expect(allowed.of(url)).toEqual(methods);
  });
});
