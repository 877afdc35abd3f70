import { jsonText } from '../../common/json-text.js';

/** JSON as the body of a request to an agent; other work runs while a long one is written. */
export async function bodyOf(json: unknown): Promise<string | Buffer> {
  const text = await jsonText(json);
  return typeof text === 'string' ? text : Buffer.concat(text);
}
