export { keyNamed, TEST_SECRET_KEY, testSecrets } from '../../src/common/fake-secrets.js';
