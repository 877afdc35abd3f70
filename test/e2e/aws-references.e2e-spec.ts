import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Egress } from '../../src/common/egress/egress.js';
import {
  readReference,
  type SecretReference,
} from '../../src/common/secret-references/secret-reference.js';
import { AwsSource } from '../../src/secrets/references/aws-source.js';
import { type HttpListener, listenOnLoopback } from '../support/http-listener.js';

/** Speaks the JSON protocol of AWS Secrets Manager. */
let aws: HttpListener;
let calls: { readonly headers: IncomingMessage['headers']; readonly body: unknown }[];
let answer: { readonly status: number; readonly body: object };
const egress = new Egress({ allow: ['127.0.0.1'] });

beforeAll(async () => {
  aws = await listenOnLoopback((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      calls.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(answer.body));
    });
  });
});
beforeEach(() => {
  calls = [];
  answer = { status: 200, body: { Name: 'books', SecretString: '{"token":"abc"}' } };
});
afterAll(async () => {
  await aws.close();
  await egress.close();
});

const settings = () => ({
  region: 'eu-west-1',
  endpoint: aws.url,
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'never-shown',
});
const read = (source: AwsSource, text = 'aws:books#token'): Promise<string> =>
  source.read(readReference(text) as SecretReference);

describe('AWS Secrets Manager', () => {
  it('is asked by the SDK of AWS over the way out of the hub', async () => {
    const source = new AwsSource(60_000, settings(), egress);
    expect(await read(source)).toBe('abc');
    expect(await read(source, 'aws:books')).toBe('{"token":"abc"}');
    expect(calls[0]).toMatchObject({
      headers: {
        'x-amz-target': 'secretsmanager.GetSecretValue',
        authorization: expect.stringContaining('AKIDEXAMPLE'),
      },
      body: { SecretId: 'books' },
    });
    expect(JSON.stringify(calls)).not.toContain('never-shown');
  });

  it.each([
    ['ResourceNotFoundException', 400, 'is not in AWS Secrets Manager', 'gone'],
    ['InvalidRequestException', 400, 'marked for deletion', 'gone'],
    ['AccessDeniedException', 400, 'secretsmanager:GetSecretValue', 'away'],
    ['InternalServiceError', 500, 'cannot be read from AWS', 'away'],
  ])('that answers %s (%i): %s', async (type, status, message, trouble) => {
    answer = { status, body: { __type: type, message: 'words of a stranger' } };
    const failed = read(new AwsSource(60_000, settings(), egress));
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.not.toThrow(/stranger/);
    await expect(failed).rejects.toMatchObject({ trouble });
  });

  it('has secrets that are text, with the member that is named', async () => {
    const source = new AwsSource(60_000, settings(), egress);
    await expect(read(source, 'aws:books#none')).rejects.toThrow('has no member none');
    answer = { status: 200, body: { Name: 'books', SecretBinary: 'AAAA' } };
    await expect(read(source)).rejects.toThrow('is binary');
    answer = { status: 200, body: { Name: 'books', SecretString: 'plain-secret' } };
    const failed = read(source);
    await expect(failed).rejects.toThrow('is not JSON');
    await expect(failed).rejects.not.toThrow(/plain-secret/);
  });

  it('is called where the egress guard lets the hub, and nowhere else', async () => {
    const closed = new Egress({ allow: [] });
    await expect(read(new AwsSource(60_000, settings(), closed))).rejects.toThrow(/egress\.allow/);
    expect(calls).toEqual([]);
    await closed.close();
  });

  it('says which package is missing, and takes it when it is there', async () => {
    let isThere = false;
    const load = (name: string): Promise<unknown> =>
      isThere
        ? import(name)
        : Promise.reject(Object.assign(new Error(), { code: 'ERR_MODULE_NOT_FOUND' }));
    const source = new AwsSource(60_000, settings(), egress, load);
    await expect(read(source)).rejects.toThrow('npm install @aws-sdk/client-secrets-manager');
    isThere = true;
    expect(await read(source)).toBe('abc');
  });
});
