import { describe, expect, it } from '@jest/globals';
import { HubError } from '../../common/hub-error.js';
import { oldWireOfAnswer, oldWireOfCard, unlessOld } from './old-wire.js';
import { parseCard } from './parse-card.js';

const PYTHON_A2A = {
  name: 'Travel',
  url: 'http://agent.example',
  version: '1.0.0',
  capabilities: { streaming: false, google_a2a_compatible: true, parts_array_format: true },
  skills: [{ name: 'Plan a trip' }],
};

describe('a card of an agent from before A2A 0.2', () => {
  it('is one that says so by its version, or by what only python-a2a writes', () => {
    expect(oldWireOfCard(PYTHON_A2A)).toMatch(
      /^is of the library python-a2a, .* pin protocolVersion/,
    );
    // As 0.5.10 writes it.
    expect(oldWireOfCard({ ...PYTHON_A2A, protocolVersion: '0.3.0' })).toContain('python-a2a');
    expect(oldWireOfCard({ name: 'A', protocolVersion: '0.1.0' })).toContain('agent of A2A 0.1.0');
  });

  it.each([
    ['without a version', { name: 'A', url: 'http://a', capabilities: { streaming: true } }],
    ['that states a version of today', { name: 'A', protocolVersion: '0.3.0' }],
    ['of 0.2.5', { name: 'A', protocolVersion: '0.2.5' }],
    ['of 1.0', { ...PYTHON_A2A, supportedInterfaces: [] }],
    ['with the authentication of 0.2.0', { name: 'A', authentication: { schemes: ['public'] } }],
    ['that is none', 'python-a2a'],
  ])('is none %s', (_, card) => {
    expect(oldWireOfCard(card)).toBeUndefined();
  });

  it('is said of one that cannot be read as well', () => {
    expect(() => unlessOld(PYTHON_A2A, parseCard)).toThrow('python-a2a');
    const other = { ...PYTHON_A2A, capabilities: {} };
    expect(() => unlessOld(other, parseCard)).toThrow(HubError);
    expect(() => unlessOld(other, parseCard)).toThrow('card.skills[0].id');
  });
});

describe('an answer to a message', () => {
  const part = { type: 'text', text: 'x' };
  it.each([
    ['a message of python-a2a', { content: { type: 'text', text: 'x' }, role: 'agent' }],
    ['an error of python-a2a', { content: { type: 'error', message: 'x' }, role: 'system' }],
    ['a message with typed parts', { role: 'agent', parts: [part] }],
    ['a task with typed parts', { result: { id: 't', artifacts: [{ parts: [part] }] } }],
    ['a task with a session', { result: { id: 't', sessionId: 's', status: {} } }],
    ['the methods it knows', { error: { data: "expected tags: 'tasks/send', 'tasks/get'" } }],
  ])('shows the old protocol by %s', (_, body) => {
    expect(oldWireOfAnswer(JSON.stringify(body))).toMatch(/before A2A 0\.2/);
  });

  it.each([
    ['a message of 0.3', { result: { kind: 'message', role: 'agent', parts: [{ kind: 'text' }] } }],
    ['a part with both', { role: 'agent', parts: [{ kind: 'data', type: 'x' }] }],
    ['a JSON-RPC error', { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' } }],
    ['a status', { status: 'ok' }],
  ])('does not by %s', (_, body) => {
    expect(oldWireOfAnswer(JSON.stringify(body))).toBeUndefined();
  });

  it('does not by something that is no JSON', () => {
    expect(oldWireOfAnswer('<html>')).toBeUndefined();
  });
});
