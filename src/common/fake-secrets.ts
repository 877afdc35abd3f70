import type { SecretReferences } from './secret-references/secret-references.js';
import { SecretBox, type SecretKey } from './secret-box.js';

/** The key that seals the secrets of every test that does not bring its own. */
export const TEST_SECRET_KEY: SecretKey = keyNamed('test');

/** A key of this id for tests, always the same one. */
export function keyNamed(id: string): SecretKey {
  return { id, key: Buffer.alloc(32, `key ${id} of the tests`).toString('base64') };
}

/** Seals and opens with {@link TEST_SECRET_KEY}: what one box of the tests seals, every other opens. */
export function testSecrets(): SecretBox {
  return new SecretBox([TEST_SECRET_KEY]);
}

/** For tests in which nothing refers to a secret. */
export const NO_REFERENCES: SecretReferences = {
  current: (stored) => stored,
  resolve: (stored) => Promise.resolve(stored),
  refresh: () => Promise.resolve(),
  refusalOf: () => Promise.resolve(undefined),
  view: () => undefined,
};
