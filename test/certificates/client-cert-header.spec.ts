import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { chainInHeaders } from '../../src/auth/certificates/client-cert-header.js';
import { TestAuthority } from '../support/authority.js';
import { selfSigned } from '../support/self-signed.js';

const { certificate: PEM } = selfSigned();
const DER = new X509Certificate(PEM).raw;
const bytes = (raw: Buffer): string => `:${raw.toString('base64')}:`;
const GOOD = bytes(DER);

describe('the header Client-Cert', () => {
  it('gives the certificate, and those of Client-Cert-Chain in their order', async () => {
    const root = await TestAuthority.make('Root');
    const first = await root.intermediate('First');
    const chain = [first, root].map((each) => bytes(new X509Certificate(each.certificate).raw));
    const read = chainInHeaders({ 'client-cert': GOOD, 'client-cert-chain': chain.join(', ') });
    expect(read.own.raw).toEqual(DER);
    expect(read.intermediates.map(({ subject }) => subject)).toEqual(['CN=First', 'CN=Root']);
    const lines = chainInHeaders({ 'client-cert': [GOOD], 'client-cert-chain': chain });
    expect(lines.intermediates).toHaveLength(2);
  });

  it('may have parameters', () => {
    expect(chainInHeaders({ 'client-cert': `${GOOD};a=1;b` }).own.raw).toEqual(DER);
  });

  it.each([
    ['empty', '', 'Client-Cert is not a byte sequence'],
    ['of no bytes', '::', 'Client-Cert is not a byte sequence'],
    ['without colons', DER.toString('base64'), 'Client-Cert is not a byte sequence'],
    ['a text', '"abc"', 'Client-Cert is not a byte sequence'],
    ['PEM', PEM.replaceAll('\n', ' '), 'Client-Cert is not a byte sequence'],
    ['URL-safe base64', ':ab_-:', 'Client-Cert is not a byte sequence'],
    ['other bytes', ':AAAA:', 'Client-Cert holds bytes that are no certificate'],
    ['PEM in its bytes', bytes(Buffer.from(PEM)), 'holds bytes that are no certificate'],
    ['longer than its certificate', bytes(Buffer.concat([DER, Buffer.alloc(3)])), 'no certificate'],
    ['cut', bytes(DER.subarray(0, 100)), 'holds bytes that are no certificate'],
    ['two certificates', `${GOOD}, ${GOOD}`, 'more than one certificate'],
    ['huge', `:${'A'.repeat(20_000)}:`, 'Client-Cert is not a byte sequence'],
  ])('is refused when it is %s', (_case, header, text) => {
    expect(() => chainInHeaders({ 'client-cert': header })).toThrow(text);
  });

  it('is refused with a chain that is wrong, endless or alone', () => {
    const refused = (chain: string, own: string | undefined = GOOD) =>
      expect(() => chainInHeaders({ 'client-cert': own, 'client-cert-chain': chain }));
    refused(':AAAA:').toThrow('Client-Cert-Chain holds bytes that are no certificate');
    refused(`${GOOD},,${GOOD}`).toThrow('Client-Cert-Chain is not a byte sequence');
    refused(Array(9).fill(GOOD).join()).toThrow('holds more than 8 certificates');
    expect(() => chainInHeaders({ 'client-cert-chain': GOOD })).toThrow('without a Client-Cert');
  });
});
