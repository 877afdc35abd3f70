import { describe, expect, it } from '@jest/globals';
import type { Grantee } from '../../common/secret-references/referred-secret.js';
import {
  readReference,
  type SecretReference,
} from '../../common/secret-references/secret-reference.js';
import { ReferenceRules } from './reference-rules.js';

const only = (allow: string, ...organizations: string[]) => ({ allow, organizations });
const rules = new ReferenceRules({
  env: [only('AGENT_*'), only('SHARED', '*'), only('A2A_HUB_X', '*'), only('{organization}_TOKEN')],
  files: [only('/run/agents'), only('/run/teams/{organization}')],
  vault: [only('agents/books', 'acme'), only('teams/{organization}/agents')],
  aws: [only('team/{organization}-x/*'), only('exact')],
});
const acme: Grantee = { organization: 'acme' };
const other: Grantee = { organization: 'other' };

const refusalOf = (text: string, grantee: Grantee): string | undefined =>
  rules.refusalOf(readReference(text) as SecretReference, grantee);

describe('what may be referred to', () => {
  it.each<[string, Grantee]>([
    ['env:AGENT_TOKEN', 'hub'],
    ['env:SHARED', 'hub'],
    ['env:SHARED', acme],
    ['env:A2A_HUB__SECRETS__KEYS', 'configuration'],
    ['file:/etc/passwd', 'configuration'],
    ['file:/run/agents/a', 'hub'],
    ['file:/run/agents/deep/a', 'hub'],
    ['file:/run/teams/acme/a', acme],
    ['file:/run/teams/acme/a', 'hub'],
    ['vault:agents/books#a', acme],
    ['vault:agents/books/deep#a', acme],
    ['vault:teams/acme/agents/x#a', acme],
    ['vault:teams/any/agents/x#a', 'hub'],
    ['aws:team/acme-x/books', acme],
    ['aws:team/acme-eu-x/books', 'hub'],
    ['aws:exact', 'hub'],
    ['env:acme_TOKEN', acme],
    ['env:acme_eu_TOKEN', 'hub'],
  ])('is %s for %j', (text, grantee) => {
    expect(refusalOf(text, grantee)).toBeUndefined();
  });

  it.each<[string, Grantee, string]>([
    ['env:OTHER', 'hub', 'env'],
    ['env:AGENT_TOKEN', acme, 'env'],
    ['env:A2A_HUB_X', 'hub', 'env'],
    ['env:A2A_HUB__SECRETS__KEYS', 'hub', 'env'],
    ['file:/etc/passwd', 'hub', 'files'],
    ['file:/run/agents', 'hub', 'files'],
    ['file:/run/agents-of-others/a', 'hub', 'files'],
    ['file:/run/agents/a', acme, 'files'],
    ['file:/run/teams/acme/a', other, 'files'],
    ['file:/run/teams/acme/a', { organization: '..' }, 'files'],
    ['file:/run/teams/acme/a', { organization: 'acme/..' }, 'files'],
    ['vault:agents/booksy#a', acme, 'vault'],
    ['vault:agents/books#a', other, 'vault'],
    ['vault:teams/acme/agents/x#a', other, 'vault'],
    ['vault:teams/acme/others#a', 'hub', 'vault'],
    ['aws:team/acme-x/books', other, 'aws'],
    ['aws:team/acme-x-x/books', acme, 'aws'],
    ['env:acme_eu_TOKEN', acme, 'env'],
    ['env:_TOKEN', 'hub', 'env'],
    ['aws:exact-not', 'hub', 'aws'],
  ])('is not %s for %j', (text, grantee, list) => {
    const refusal = refusalOf(text, grantee);
    expect(refusal).toContain(`secrets.references.${list}`);
    expect(refusal).toContain(text);
  });

  it('is nothing by default, but for the configuration', () => {
    const none = new ReferenceRules({ env: [], files: [], vault: [], aws: [] });
    for (const text of ['env:A', 'file:/a', 'vault:a#b', 'aws:a']) {
      const reference = readReference(text) as SecretReference;
      expect(none.refusalOf(reference, 'hub')).toContain('secrets.references');
      expect(none.refusalOf(reference, acme)).toContain('secrets.references');
      expect(none.refusalOf(reference, 'configuration')).toBeUndefined();
    }
  });
});
