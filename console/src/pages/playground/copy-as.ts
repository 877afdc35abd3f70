import type { Exchange } from './exchange';

export type Language = 'curl' | 'python' | 'javascript';

export const LANGUAGES: readonly { readonly id: Language; readonly label: string }[] = [
  { id: 'curl', label: 'curl' },
  { id: 'python', label: 'Python' },
  { id: 'javascript', label: 'JavaScript' },
];

const KEY = 'A2A_HUB_KEY';
const STREAMS = new Set(['SendStreamingMessage', 'SubscribeToTask']);

/** A program that sends the same request. Its key is in the environment, as `A2A_HUB_KEY`. */
export function codeOf(exchange: Exchange, language: Language): string {
  switch (language) {
    case 'curl':
      return curlOf(exchange);
    case 'python':
      return pythonOf(exchange);
    case 'javascript':
      return javaScriptOf(exchange);
  }
}

/** Without those that sign in. */
function headersOf({ headers }: Exchange): [string, string][] {
  return Object.entries(headers).filter(
    ([name]) => !/^(authorization|x-a2a-hub-console(-caller)?)$/i.test(name),
  );
}

function jsonOf({ body }: Exchange): string {
  return JSON.stringify(body, null, 2);
}

function curlOf(exchange: Exchange): string {
  const headers = headersOf(exchange).map(([name, value]) => `  -H '${name}: ${value}' \\\n`);
  return `curl -sSN '${exchange.url}' \\
  -H "Authorization: Bearer $${KEY}" \\
${headers.join('')}  --data-binary @- <<'JSON'
${jsonOf(exchange)}
JSON
`;
}

function pythonOf(exchange: Exchange): string {
  const headers = headersOf(exchange).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  );
  // In JSON an apostrophe is in a text only: it cannot end Python's.
  const json = jsonOf(exchange).replaceAll("'", '\\u0027');
  return `# pip install httpx
import json
import os

import httpx

headers = {
    "Authorization": f"Bearer {os.environ['${KEY}']}",
${headers.join('')}}
body = json.loads(r'''${json}''')
${
  STREAMS.has(exchange.method)
    ? `with httpx.stream("POST", "${exchange.url}", headers=headers, json=body, timeout=None) as response:
    for line in response.iter_lines():
        print(line)
`
    : `response = httpx.post("${exchange.url}", headers=headers, json=body, timeout=None)
print(response.text)
`
}`;
}

function javaScriptOf(exchange: Exchange): string {
  const headers = headersOf(exchange).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  );
  return `// node request.mjs
const body = ${jsonOf(exchange)};
const response = await fetch("${exchange.url}", {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.${KEY}}\`,
${headers.join('')}  },
  body: JSON.stringify(body),
});
${
  STREAMS.has(exchange.method)
    ? `for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
  process.stdout.write(text);
}
`
    : `console.log(await response.text());
`
}`;
}
