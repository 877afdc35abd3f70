import { NO_STORE } from './no-store.js';
import { onlyStyle, pageHeaders } from './page-headers.js';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }
dt { font-weight: 600; margin-top: 0.75rem }
dd { margin: 0; overflow-wrap: anywhere }
`;

/** The page is text: nothing runs in it or is loaded by it. */
export const PLAIN_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...pageHeaders(onlyStyle(STYLE)),
  'cache-control': NO_STORE,
  'x-content-type-options': 'nosniff',
};

/** A page of text for a person; `body` is HTML. */
export function plainPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
${body}
</body>
</html>
`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text of somebody else's, which turns the direction of nothing beside it. */
export function isolated(text: string): string {
  return `<bdi>${escaped(text)}</bdi>`;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
