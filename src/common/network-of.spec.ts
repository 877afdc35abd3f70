import { expect, it } from '@jest/globals';
import { networkOf, widerNetworkOf } from './network-of.js';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:50123', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['[::ffff:192.0.2.7]:50123', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['[2001:db8::6]:443', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['unix:/tmp/socket', 'unknown'],
  ['', 'unknown'],
])('%s is shown as %s', (address, shown) => {
  expect(networkOf(address)).toBe(shown);
});

it.each([
  ['192.0.2.7', '192.0.2.0/24'],
  ['2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['0:0:0:0::/64', '0:0:0::/48'],
  ['unknown', 'unknown'],
])('the network around %s is %s', (network, wider) => {
  expect(widerNetworkOf(network)).toBe(wider);
});
