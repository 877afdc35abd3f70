import type { HubClient } from './hub-client.js';
import type { JsonObject } from './json.js';

/** A feed of events never ends: so long is listened to it. */
const FEED_MS = 300;

/** What a hub shows. */
export interface Visited {
  /** The bodies of all answers, one after another. */
  readonly text: string;
  /** The paths of the OpenAPI document that answered 200 at least once. */
  readonly paths: readonly string[];
}

/**
 * Gets everything that can be got from a hub with the admin key: each list of its OpenAPI document, and
 * whatever is below the items of that list.
 */
export async function visitEverything(hub: HubClient): Promise<Visited> {
  const document = (await hub.admin('GET', '/docs/openapi.json')).body as {
    paths: Record<string, JsonObject>;
  };
  const templates = Object.keys(document.paths)
    .filter((path) => 'get' in document.paths[path]!)
    .sort((a, b) => a.split('{').length - b.split('{').length);
  const found = new Map<string, JsonObject[]>();
  const paths: string[] = [];
  let text = '';
  for (const template of [...templates, '/metrics', '/health/ready']) {
    for (const path of pathsOf(template, found)) {
      const answer = await get(hub, path);
      text += answer.text;
      if (answer.status === 200 && !paths.includes(template)) paths.push(template);
      const items = (answer.body as { items?: JsonObject[] } | undefined)?.items;
      if (Array.isArray(items)) found.set(template, items);
    }
  }
  return { text, paths };
}

/** The path itself, or one for each item of the list above its first parameter. */
function pathsOf(template: string, found: ReadonlyMap<string, JsonObject[]>): string[] {
  const [list, ...more] = template.split('/{');
  if (more.length === 0) return [template];
  const ids = (found.get(list!) ?? []).flatMap(({ id, kid, name }) => [id ?? kid ?? name]);
  return ids.map((id) => template.replace(/\{[^}]+\}/g, encodeURIComponent(String(id))));
}

async function get(
  hub: HubClient,
  path: string,
): Promise<{ status: number; text: string; body: unknown }> {
  if (!path.endsWith('/events')) return hub.admin('GET', path);
  const feed = await fetch(hub.url + path, {
    headers: { authorization: `Bearer ${hub.adminKey}` },
    signal: AbortSignal.timeout(FEED_MS),
  });
  let text = '';
  try {
    for await (const chunk of feed.body!) text += Buffer.from(chunk as Uint8Array).toString();
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') throw error;
  }
  return { status: feed.status, text, body: undefined };
}
