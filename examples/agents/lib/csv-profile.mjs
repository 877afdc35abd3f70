// Profiles a CSV text: its dialect, and per column the type, nulls, distinct values and numbers.

const NULLS = new Set(['', 'null', 'na', 'n/a', 'nan', 'none', 'unknown', '-']);

/** The delimiter that splits the first lines into the same number (> 1) of fields most evenly. */
export function detectDelimiter(text) {
  let best = ',';
  let bestScore = 0;
  for (const delimiter of [',', ';', '\t', '|']) {
    const widths = parseRows(text.slice(0, 20_000), delimiter)
      .slice(0, 20)
      .map((row) => row.length);
    const width = widths[0] ?? 0;
    const score =
      width > 1 ? (width * widths.filter((one) => one === width).length) / widths.length : 0;
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

/** Rows of fields by RFC 4180: quotes, doubled quotes, and line breaks inside quotes. */
export function parseRows(text, delimiter) {
  const rows = [];
  let row = [];
  let field = '';
  let quoted = false;
  const endRow = () => {
    row.push(field);
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
    field = '';
  };
  for (let at = text.charCodeAt(0) === 0xfeff ? 1 : 0; at < text.length; at++) {
    const char = text[at];
    if (quoted) {
      if (char !== '"') field += char;
      else if (text[at + 1] === '"') [field, at] = [field + '"', at + 1];
      else quoted = false;
    } else if (char === '"' && field === '') quoted = true;
    else if (char === delimiter) [field] = ['', row.push(field)];
    else if (char === '\n') endRow();
    else if (char !== '\r') field += char;
  }
  endRow();
  return rows;
}

/** What one column holds. */
export function profileColumn(name, values) {
  const present = values.filter((value) => !NULLS.has(value.trim().toLowerCase()));
  const profile = {
    name,
    type: typeOf(present),
    values: values.length,
    nulls: values.length - present.length,
    distinct: new Set(present).size,
  };
  if (profile.type === 'integer' || profile.type === 'number') {
    return { ...profile, ...numbersOf(present.map(Number)) };
  }
  if (profile.type === 'date') {
    const sorted = present.toSorted();
    return { ...profile, min: sorted[0], max: sorted.at(-1) };
  }
  return {
    ...profile,
    longest: Math.max(0, ...present.map((value) => value.length)),
    top: topOf(present),
  };
}

/** The profile of one column as one line of Markdown. */
export function columnLine(column) {
  const facts = [`${column.type}`, `${column.distinct} distinct`];
  if (column.nulls > 0) facts.push(`${column.nulls} null`);
  if (column.mean !== undefined) {
    facts.push(
      `min ${column.min}`,
      `max ${column.max}`,
      `mean ${column.mean}`,
      `sd ${column.deviation}`,
    );
  } else if (column.min !== undefined) facts.push(`${column.min} to ${column.max}`);
  else if (column.top?.[0]?.[1] > 1) {
    facts.push(
      `most frequent ${column.top.map(([value, count]) => `"${value}" (${count})`).join(', ')}`,
    );
  }
  return `- **${column.name}**: ${facts.join(', ')}\n`;
}

function typeOf(present) {
  if (present.length === 0) return 'empty';
  if (present.every((value) => /^[+-]?\d+$/.test(value.trim()))) return 'integer';
  if (present.every((value) => value.trim() !== '' && Number.isFinite(Number(value))))
    return 'number';
  if (present.every((value) => /^(true|false|yes|no)$/i.test(value.trim()))) return 'boolean';
  if (present.every((value) => /^\d{4}-\d{2}-\d{2}([T ].*)?$/.test(value.trim()))) return 'date';
  return 'text';
}

function numbersOf(numbers) {
  let sum = 0;
  let min = Infinity;
  let max = -Infinity;
  for (const number of numbers) {
    sum += number;
    min = Math.min(min, number);
    max = Math.max(max, number);
  }
  const mean = sum / numbers.length;
  const variance = numbers.reduce((total, one) => total + (one - mean) ** 2, 0) / numbers.length;
  return { min, max, mean: rounded(mean), deviation: rounded(Math.sqrt(variance)) };
}

function topOf(present) {
  const counts = new Map();
  for (const value of present) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 3);
}

function rounded(number) {
  return Number(number.toPrecision(6));
}
