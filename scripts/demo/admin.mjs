// The few calls of the hub's admin API that the demo makes.

/** An `AdminApi` for this hub: each call resolves with the JSON body, or throws what the hub said. */
export class AdminApi {
  constructor(url, adminKey) {
    this.url = url;
    this.adminKey = adminKey;
  }

  createKey(name) {
    return this.call('POST', '/api/v1/keys', {
      name,
      organization: 'demo',
      scopes: ['a2a', 'push'],
    });
  }

  /** Registers an agent; one that is there from an earlier demo is replaced. */
  async registerAgent(id, cardUrl) {
    await this.call('DELETE', `/api/v1/agents/${id}`).catch(() => undefined);
    return this.call('POST', '/api/v1/agents', { id, cardUrl });
  }

  deliveries(taskId) {
    return this.call('GET', `/api/v1/push/deliveries?taskId=${encodeURIComponent(taskId)}`);
  }

  async call(method, path, body) {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.adminKey}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}
