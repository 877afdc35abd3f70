import { describe, expect, it } from '@jest/globals';
import { Message, Part } from './a2a.js';

describe('a data part that holds null', () => {
  it('is read and written as such, alone and in a message', () => {
    expect(Part.fromJSON({ data: null }).content).toEqual({ $case: 'data', value: null });
    const json = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: null, filename: 'n' }] };
    expect(Message.toJSON(Message.fromJSON(json))).toEqual(json);
  });

  it('is not made of nulls beside another content, nor of no content at all', () => {
    const text = { text: 'x', raw: null, url: null, data: null };
    expect(Part.fromJSON(text).content).toEqual({ $case: 'text', value: 'x' });
    expect(Part.fromJSON({}).content).toBeUndefined();
  });
});
