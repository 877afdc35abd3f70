import { describe, expect, it } from '@jest/globals';
import { canonicalizeAgentCard, type AgentCard } from '../../protocol/a2a.js';
import { without } from './card-forms.js';
import { canonicalLegacy, signedTexts } from './card-payloads.js';

describe('what is signed of a card', () => {
  const json = {
    name: 'x',
    description: '',
    version: '1',
    supportedInterfaces: [{ url: 'u', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    skills: [],
  };

  it('in 1.0 is what the SDK makes of it and what is served', () => {
    const texts = signedTexts(json, '1.0');
    expect(texts[0]).toBe(canonicalizeAgentCard(json as unknown as AgentCard));
    expect(texts.at(-1)).toContain('"description":""');
    // The client's own reading of the card has lost its security schemes.
    expect(texts).toHaveLength(3);
  });

  it('is one text where all agree', () => {
    const plain = without(json, 'securitySchemes', 'description', 'skills');
    expect(signedTexts(plain, '1.0')).toHaveLength(1);
  });
});

it('in 0.3 is what the Python SDK of that version makes of it', () => {
  const json = {
    protocolVersion: '0.3.0',
    name: 'Zähler 😀',
    description: 'Line\nand \u007f',
    url: 'https://hub.example.com/a2a',
    preferredTransport: 'JSONRPC',
    supportedInterfaces: [{ url: 'of 1.0' }],
    capabilities: {
      streaming: true,
      stateTransitionHistory: false,
      extendedAgentCard: true,
      extensions: [{ uri: 'urn:x', required: false, params: { b: [1.5, ''], a: null } }],
    },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'Bearer', httpAuthSecurityScheme: { scheme: 'Bearer' } },
    },
    security: [{ bearer: [] }],
    securityRequirements: [{ schemes: { bearer: [] } }],
    version: '1',
    defaultInputModes: ['text/plain'],
    defaultOutputModes: [],
    skills: [],
    supportsAuthenticatedExtendedCard: false,
  };
  // Made by a2a-sdk 0.3.26: canonicalize_agent_card(AgentCard.model_validate(json)).
  expect(canonicalLegacy(json)).toBe(EXPECTED);
});

const EXPECTED =
  '{"capabilities":{"extensions":[{"params":{"b":[1.5]},"required":false,"uri":"urn:x"}],"stateTransitionHistory":false,"streaming":true},"defaultInputModes":["text/plain"],"description":"Line\\nand \\u007f","name":"Z\\u00e4hler \\ud83d\\ude00","securitySchemes":{"bearer":{"scheme":"Bearer"}},"supportsAuthenticatedExtendedCard":false,"url":"https://hub.example.com/a2a","version":"1"}';
