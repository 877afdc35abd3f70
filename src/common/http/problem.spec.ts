import { BadRequestException, HttpException, NotFoundException } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { HubError, invalidField, hubErrorOf } from '../hub-error.js';
import { problemOf } from './problem.js';

describe('problemOf', () => {
  it('names the fields at fault', () => {
    expect(problemOf(invalidField('message.parts', 'must not be empty'))).toEqual({
      type: 'urn:a2a-hub:error:invalid-params',
      title: 'Bad Request',
      status: 400,
      detail: 'message.parts must not be empty',
      errors: [{ field: 'message.parts', description: 'must not be empty' }],
    });
  });

  it('shows the metadata of an error', () => {
    const error = new HubError('NO_ROUTE', 'no agent', { metadata: { skills: 'a, b' } });
    expect(problemOf(error)).toMatchObject({ status: 422, metadata: { skills: 'a, b' } });
  });
});

describe('hubErrorOf', () => {
  it('leaves a HubError as it is', () => {
    const error = new HubError('CONFLICT', 'taken');
    expect(hubErrorOf(error)).toBe(error);
  });

  it('says nothing of an unexpected error', () => {
    for (const thrown of [new TypeError('secret detail'), 'secret detail', undefined, null]) {
      const error = hubErrorOf(thrown);
      expect(error.reason).toBe('INTERNAL');
      expect(JSON.stringify(problemOf(error))).not.toContain('secret detail');
    }
  });

  it.each([
    [new NotFoundException('Cannot GET /x'), 'NOT_FOUND'],
    [new BadRequestException('no'), 'INVALID_REQUEST'],
    [new HttpException('big', 413), 'PAYLOAD_TOO_LARGE'],
    [Object.assign(new Error('type'), { statusCode: 415 }), 'UNSUPPORTED_MEDIA_TYPE'],
    [
      new HttpException('bad json', 400, { cause: { code: 'FST_ERR_CTP_INVALID_JSON_BODY' } }),
      'PARSE_ERROR',
    ],
    [Object.assign(new Error('secret'), { statusCode: 500 }), 'INTERNAL'],
  ])('keeps the meaning of %s', (thrown, reason) => {
    expect(hubErrorOf(thrown).reason).toBe(reason);
  });
});
