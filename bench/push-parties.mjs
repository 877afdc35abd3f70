// The two ends of a delivery: a hub with standing subscriptions, and who is told.
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { admin } from './hub.mjs';
import { load } from './processes.mjs';

const PATIENCE_MS = 600_000;
/** Nothing listens there. */
export const REFUSING_PORT = 9;

/** A hub, the key that the load is sent with, and its dead receivers. */
export class Hub {
  /** By way. */
  subscriptions = new Map();

  constructor(url, pid, headers, deadUrls = []) {
    Object.assign(this, { url, pid, headers, deadUrls });
  }

  async all(way, verb) {
    const path = '/api/v1/push/subscriptions';
    const all = this.subscriptions.get(way);
    await Promise.all(all.map(({ id }) => admin(this.url, `${path}/${id}:${verb}`, {})));
  }

  /** So many tasks, ended when it resolves; each with a webhook of its own when there is a `webhook`. */
  async send(agent, requests, webhook) {
    const { url, headers } = this;
    const params = { message: messageTo(agent), configuration: configurationOf(webhook) };
    const method = 'SendMessage';
    const job = { url: `${url}/a2a`, headers, method, params, requests };
    const result = await load({ ...job, concurrency: 16, milliseconds: PATIENCE_MS });
    if (result.requests < requests) throw new Error(`sends failed: ${result.firstFailure}`);
  }

  /** One task; it has begun when it resolves. */
  async sendOne(pool, agent, webhook) {
    const answer = await pool.request({
      path: '/a2a',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...this.headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: {
          message: { ...messageTo(agent), messageId: randomUUID() },
          configuration: { ...configurationOf(webhook), returnImmediately: true },
        },
      }),
    });
    const { error } = await answer.body.json();
    if (error) throw new Error(error.message);
  }

  /** Gives each dead receiver one more task. */
  async wakeDead() {
    const pool = new Pool(this.url, { connections: 8, pipelining: 1 });
    await Promise.all(this.deadUrls.map((url) => this.sendOne(pool, 'other', url)));
    await pool.close();
  }
}

/** `bench/targets/receiver.mjs`. */
export class Receiver {
  constructor({ url }) {
    this.url = url;
  }

  /** Its address as another receiver: all of 127.0.0.0/8 leads to it. */
  at(address) {
    return `http://${address}:${new URL(this.url).port}/hook`;
  }

  async figures() {
    return (await fetch(`${this.url}/figures`)).json();
  }

  async clear() {
    await fetch(`${this.url}/figures`, { method: 'DELETE' });
  }

  /** The figures once so many tasks have been told to their end. */
  async until(ended) {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const figures = await this.figures();
      if (figures.ended >= ended) return figures;
      if (performance.now() > deadline) {
        throw new Error(`${figures.ended} of ${ended} tasks were told in ${PATIENCE_MS} ms`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Each is a receiver of its own: loopback has many addresses. */
export function addresses(net, count) {
  return Array.from({ length: count }, (_, index) => `${net}.${index + 1}`);
}

function messageTo(agent) {
  return {
    role: 'ROLE_USER',
    parts: [{ text: 'What is the answer?' }],
    metadata: { agentId: agent },
  };
}

function configurationOf(webhook) {
  return webhook === undefined ? {} : { taskPushNotificationConfig: { url: webhook } };
}
