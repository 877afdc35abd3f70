import { describe, expect, it } from '@jest/globals';
import { jcs, signedForms } from './signed-forms.js';

const INTERFACE = { url: 'https://a.example/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' };

describe('signedForms', () => {
  const card = {
    name: 'Example Agent',
    description: '',
    version: '1',
    supportedInterfaces: [{ ...INTERFACE, tenant: '' }],
    capabilities: { streaming: false, pushNotifications: false, extensions: [] },
    securitySchemes: { k: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    defaultInputModes: [],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 's', description: '', tags: [], examples: [] }],
    signatures: [{ protected: 'x', signature: 'y' }],
    'x-more': 1,
  };
  const start = '{"capabilities":{"pushNotifications":false,"streaming":false},';
  const schemes = '"securitySchemes":{"k":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}},';
  const interfaces =
    '"supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"https://a.example/"}],"version":"1"}';

  it('are the one of the SDKs, that of a card in memory, that of the specification, the document', () => {
    const [sdk, inMemory, specification, document] = signedForms(card).map((one) => one.payload);
    const modes = '"defaultOutputModes":["text/plain"],"name":"Example Agent",';
    const skills = '"skills":[{"id":"s","name":"s"}],';
    expect(sdk).toBe(start + modes + schemes + skills + interfaces);
    expect(inMemory).toBe(start + modes + skills + interfaces);
    expect(specification).toBe(
      `${start}"defaultInputModes":[],"defaultOutputModes":["text/plain"],"description":"","name":"Example Agent",${schemes}"skills":[{"description":"","id":"s","name":"s","tags":[]}],${interfaces}`,
    );
    expect(document).toContain('"examples":[]');
    expect(document).toContain('"x-more":1');
    expect(document).not.toContain('signatures');
  });

  it('cover what they contain and no more', () => {
    const covered = signedForms(card).map((one) => one.covered);
    expect(covered.map((one) => 'x-more' in one)).toEqual([false, false, false, true]);
    expect(covered.map((one) => 'securitySchemes' in one)).toEqual([true, false, true, true]);
    expect(covered.some((one) => 'signatures' in one)).toBe(false);
  });

  it('cover nothing that reads as empty, for it is not in what was signed', () => {
    const needing = (scheme: string) =>
      signedForms({ ...card, securityRequirements: [{ schemes: { [scheme]: { list: [] } } }] });
    expect(needing('oauth')[0]).toEqual(needing('nothing')[0]);
    for (const { covered, payload } of needing('oauth')) {
      expect(covered).toEqual(JSON.parse(payload));
    }
  });

  it.each([
    { name: 'Old', url: 'https://a.example/' },
    { name: 'Odd', supportedInterfaces: 'none' },
    { name: 'Odd', supportedInterfaces: [], skills: 7 },
    {},
  ])('of a card that is none of 1.0 are only the document: %j', (document) => {
    expect(signedForms(document)).toEqual([{ payload: jcs(document), covered: document }]);
  });
});

describe('jcs', () => {
  it('writes JSON as RFC 8785 wants it', () => {
    const written = String.raw`{ "€": "\u20ac", "\r": 1e21, "1": [true, null, {}], "a": -0.0, "B": 4.50, "\u0080": "\u000f" }`;
    expect(jcs(JSON.parse(written))).toBe(
      '{"\\r":1e+21,"1":[true,null,{}],"B":4.5,"a":0,"\u0080":"\\u000f","€":"€"}',
    );
  });
});
