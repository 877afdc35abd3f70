// The hub as a client and an operator see it, for the runner.
import { randomUUID } from 'node:crypto';

const DEADLINE_MS = 25_000;

export class Hub {
  constructor(url, adminKey) {
    this.url = url;
    this.adminKey = adminKey;
  }

  /** Answers the body; throws with the hub's words. */
  async admin(method, path, body) {
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.adminKey}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`HTTP ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async rpc(method, params, version) {
    const { result, error } = await (await this.post(method, params, version)).json();
    if (error) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result;
  }

  /** The events of a stream, until it ends. */
  async stream(params) {
    const response = await this.post('SendStreamingMessage', params);
    const events = [];
    for (const line of (await response.text()).split('\n')) {
      if (!line.startsWith('data:')) continue;
      const { result, error } = JSON.parse(line.slice(5));
      if (error) throw new Error(`stream: ${error.code} ${error.message}`);
      events.push(result);
    }
    return events;
  }

  post(method, params, version = '1.0') {
    return fetch(`${this.url}/a2a`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.adminKey}`,
        'content-type': 'application/json',
        'a2a-version': version,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
  }
}

export function message(agentId, text, fields = {}) {
  const said = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...fields };
  return { message: said, metadata: { agentId } };
}

export const stateOf = ({ status }) => status.state.replace('TASK_STATE_', '');

/** Everything a task says: what its artifacts hold, else what its status and history say. */
export function textOf({ artifacts = [], status, history = [] }) {
  const found = [
    ...artifacts,
    status.message,
    ...history.filter(({ role }) => role === 'ROLE_AGENT'),
  ];
  const texts = found
    .filter(Boolean)
    .map(({ parts = [] }) => parts.map(({ text }) => text ?? '').join(''));
  return texts.join(' | ');
}
