/** Rewritten texts kept; the hub's own statements are far fewer. */
const MAX_CACHED = 2000;
const cache = new Map<string, string>();

/** `?` outside quotes becomes `$1`, `$2` …: the placeholders of PostgreSQL. */
export function numbered(sql: string): string {
  const known = cache.get(sql);
  if (known !== undefined) return known;
  if (cache.size >= MAX_CACHED) cache.clear();
  const text = rewrite(sql);
  cache.set(sql, text);
  return text;
}

/** Quoted pieces ('…' and "…", a doubled quote inside) are taken whole and left alone. */
function rewrite(sql: string): string {
  let next = 0;
  return sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g, (piece) =>
    piece === '?' ? `$${++next}` : piece,
  );
}
