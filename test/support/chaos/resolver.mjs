// For a hub started with `node --import`: names below `inside.example` have no address when they are asked
// for first, so that a webhook is accepted, and a private one from then on. All others are as they are.
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

const PRIVATE = '10.20.30.40';
const asked = new Set();
const { lookup } = dns;

dns.lookup = async (name, options) => {
  if (!name.endsWith('.inside.example')) return lookup(name, options);
  if (asked.has(name)) return [{ address: PRIVATE, family: 4 }];
  asked.add(name);
  throw Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' });
};
syncBuiltinESMExports();
