// A hub of the bench, and calls to its admin API.
import { join } from 'node:path';
import { HUB_ARGUMENTS } from '../scripts/hub-command.mjs';

export const ADMIN_KEY = 'bench-admin-key-0123456789abcdef';
/** Scopes of the key that the load is sent with. */
const SCOPES = ['a2a', 'push', 'tasks:organization'];

/**
 * Starts the built hub with its defaults on the database `file` in `directory`; `start` starts a Node
 * program.
 */
export function startHub(start, directory, file, synchronous, environment = {}) {
  return start(HUB_ARGUMENTS, {
    A2A_HUB__SERVER__PORT: '0',
    A2A_HUB__DATABASE__URL: `sqlite:${join(directory, file)}`,
    A2A_HUB__DATABASE__SYNCHRONOUS: synchronous,
    A2A_HUB__AUTH__ADMIN_KEY: ADMIN_KEY,
    A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8',
    A2A_HUB__PUSH__ALLOW: '127.0.0.0/8',
    A2A_HUB__PUSH__TRUSTED_HOSTS: '127.0.0.0/8,localhost',
    ...environment,
  });
}

/** The headers of a new key of an organization. */
export async function newKey(hubUrl, organization = 'bench') {
  const body = { name: organization, organization, scopes: SCOPES };
  const { key } = await admin(hubUrl, '/api/v1/keys', body);
  return { authorization: `Bearer ${key}` };
}

/** One POST to the admin API, as an operator; its answer. */
export function admin(hubUrl, path, body) {
  return ask(hubUrl, path, { method: 'POST', body: JSON.stringify(body) });
}

/** One GET of the admin API, as an operator; its answer. */
export function look(hubUrl, path) {
  return ask(hubUrl, path, { method: 'GET' });
}

async function ask(hubUrl, path, { method, body }) {
  const response = await fetch(hubUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${ADMIN_KEY}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body,
  });
  if (!response.ok)
    throw new Error(`${method} ${path}: HTTP ${response.status} ${await response.text()}`);
  return response.json();
}
