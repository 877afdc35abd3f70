import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesOf, hostileHeaders, type HostileRequest, mutated } from '../support/hostile.js';
import { HostileHub } from '../support/hostile-hub.js';
import type { Json, JsonObject } from '../support/json.js';
import { casesOf } from '../support/thorough.js';
import { ALL_METHODS } from './bindings-methods.js';

const RUNS = casesOf(300, 2000);
const AUTHENTICATION = { scheme: 'Bearer', schemes: ['Bearer'], credentials: 'x' };
const CONFIG = { id: 'c', url: 'https://example.com/hook', authentication: AUTHENTICATION };
const CONFIGURATION = {
  acceptedOutputModes: ['text/plain'],
  historyLength: 1,
  returnImmediately: true,
  blocking: false,
  taskPushNotificationConfig: CONFIG,
  pushNotificationConfig: CONFIG,
};
const OTHERS = {
  taskId: 'task-1',
  metadata: { 'urn:a2a-hub:routing:v1': { tags: ['a'], strategy: 'all' } },
  extensions: ['urn:x'],
  referenceTaskIds: ['task-1'],
};
/** Those with a member of every kind, besides the plain ones. */
const METHODS: typeof ALL_METHODS = [
  ...ALL_METHODS,
  ...ALL_METHODS.filter(([, , params]) => 'message' in params).map(
    ([version, method, params]): (typeof ALL_METHODS)[number] => [
      version,
      method,
      { message: { ...params['message'], ...OTHERS }, configuration: CONFIGURATION },
    ],
  ),
];
const PATHS = ['/a2a', '/', '/a2a/', '/a2a/agents/quick', '/a2a/agents/nobody'];

let hostile: HostileHub;

beforeAll(async () => {
  hostile = await HostileHub.start();
});

afterAll(() => hostile.close());

describe('the JSON-RPC binding', () => {
  it(`survives ${RUNS} malformed requests of every method and version`, async () => {
    await fc.assert(
      fc.asyncProperty(requestsAbout(hostile.taskId), async (request) => {
        expect(await hostile.faultsOf(request)).toEqual([]);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(hostile.shown.size).toBeGreaterThan(0);
    expect(hostile.faultsOfStorage()).toEqual([]);
  }, 180_000);
});

/** Malformed calls of any method; where a method names a task, it was this one. */
function requestsAbout(taskId: string): fc.Arbitrary<HostileRequest> {
  const documents = fc
    .constantFrom(...METHODS)
    .map(([, method, params]) => ({ jsonrpc: '2.0', id: 1, method, params: about(taskId, params) }))
    .chain(mutated);
  return fc
    .tuple(fc.constantFrom(...PATHS), hostileHeaders, bytesOf(documents))
    .map(([path, headers, body]) => ({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    }));
}

function about(taskId: string, params: Json): JsonObject {
  return JSON.parse(JSON.stringify(params).replaceAll('task-1', taskId)) as JsonObject;
}
