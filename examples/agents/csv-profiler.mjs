// Profiles a CSV file: streams its progress and one artifact, a chunk per column.
//   node examples/agents/csv-profiler.mjs --port 4101
import { breathe, dataPart, serveAgent, textPart } from './lib/agent-server.mjs';
import { columnLine, detectDelimiter, parseRows, profileColumn } from './lib/csv-profile.mjs';

await serveAgent({
  name: 'CSV profiler',
  description:
    'Profiles CSV files: columns, types, nulls, distinct values, minimum, maximum, mean.',
  streaming: true,
  skills: [
    {
      id: 'profile-csv',
      name: 'Profile a CSV file',
      description:
        'Reads a CSV file sent inline and describes each column: type, nulls, distinct values, minimum, maximum, mean.',
      tags: ['csv', 'data', 'profile', 'statistics'],
      examples: ['Profile this file.'],
      inputModes: ['text/csv', 'text/plain'],
      outputModes: ['text/markdown', 'application/json'],
    },
  ],
  run: profile,
});

async function profile(turn) {
  const file = turn.file;
  const text = file?.text ?? turn.text;
  const delimiter = detectDelimiter(text);
  const [header, ...rows] = parseRows(text, delimiter);
  if (!header || rows.length === 0) {
    return turn.ask('Please send a CSV file with a header line and at least one row.');
  }
  const name = file?.name || 'the CSV';
  turn.progress(`Read ${rows.length} rows of ${header.length} columns from ${name}`);
  const columns = [];
  const title = `# Profile of ${name}\n\n${rows.length} rows, ${header.length} columns\n\n`;
  chunk(turn, title, { append: false, last: false });
  for (const [index, column] of header.entries()) {
    await breathe();
    if (turn.canceled) return;
    columns.push(
      profileColumn(
        column,
        rows.map((row) => row[index] ?? ''),
      ),
    );
    chunk(turn, columnLine(columns.at(-1)), { append: true, last: index === header.length - 1 });
    if ((index + 1) % 5 === 0) turn.progress(`Profiled ${index + 1} of ${header.length} columns`);
  }
  turn.artifact({
    id: 'profile-data',
    name: 'Profile as data',
    parts: [dataPart({ file: name, delimiter, rows: rows.length, columns })],
  });
  turn.complete(`Profiled ${header.length} columns of ${name}`);
}

function chunk(turn, text, { append, last }) {
  turn.artifact({
    id: 'profile',
    name: 'Profile',
    parts: [textPart(text, '', 'text/markdown')],
    append,
    last,
  });
}
