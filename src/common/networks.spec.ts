import { expect, it } from '@jest/globals';
import { Networks } from './networks.js';

it('holds addresses and blocks of both kinds', () => {
  const networks = new Networks(['10.1.0.0/16', '192.0.2.7', 'fd00::/8', '::1']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', 'fd12::1', '::1']) {
    expect(networks.has(address)).toBe(true);
  }
  for (const address of ['10.2.0.1', '192.0.2.8', 'fe80::1', '::2', 'proxy', '']) {
    expect(networks.has(address)).toBe(false);
  }
  expect(new Networks([]).has('127.0.0.1')).toBe(false);
});

it('names what is neither, and what is everything', () => {
  expect(Networks.faultOf(['10.0.0.0/8', '::1'])).toBeUndefined();
  expect(Networks.faultOf(['proxy.internal'])).toContain('"proxy.internal" is neither');
  expect(Networks.faultOf(['10.0.0.0/64'])).toContain('is neither');
  expect(Networks.faultOf(['::/0'])).toContain('every address');
});
