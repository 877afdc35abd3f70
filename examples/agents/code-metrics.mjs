// Measures a source file. Asks (input-required) when no file came or its language cannot be told.
//   node examples/agents/code-metrics.mjs --port 4102
import { dataPart, serveAgent, textPart } from './lib/agent-server.mjs';
import {
  LANGUAGE_NAMES,
  languageNamedIn,
  languageOfFile,
  measureCode,
} from './lib/code-metrics.mjs';

await serveAgent({
  name: 'Code metrics',
  description: 'Measures source code: lines, comments, functions and the longest of them.',
  streaming: true,
  skills: [
    {
      id: 'measure-code',
      name: 'Measure source code',
      description:
        'Counts lines of code, comments and blanks, finds functions and the longest one. Asks for the language when the file name does not tell it.',
      tags: ['code', 'measure', 'source'],
      examples: ['Measure this source file.'],
      inputModes: ['text/plain', 'application/octet-stream'],
      outputModes: ['text/markdown', 'application/json'],
    },
  ],
  run: measure,
});

function measure(turn) {
  const file = turn.file;
  if (!file) return turn.ask('Which source file? Please send it inline.');
  const language = languageOfFile(file.name) ?? languageNamedIn(turn.text);
  if (!language) {
    return turn.ask(
      `In which language is ${file.name || 'this file'} written? One of: ${LANGUAGE_NAMES.join(', ')}.`,
    );
  }
  turn.progress(`Measuring ${file.name || 'the file'} as ${language}`);
  const metrics = measureCode(file.text, language);
  turn.artifact({
    id: 'metrics',
    name: 'Code metrics',
    parts: [textPart(report(file.name, metrics), '', 'text/markdown'), dataPart(metrics)],
  });
  turn.complete(`Measured ${metrics.lines} lines of ${language}`);
}

function report(name, metrics) {
  const longest = metrics.longestFunction;
  return [
    `# Metrics of ${name || 'the file'} (${metrics.language})`,
    '',
    `- lines: ${metrics.lines} (${metrics.code} code, ${metrics.comment} comment, ${metrics.blank} blank)`,
    `- comment ratio: ${metrics.commentRatio}`,
    `- functions: ${metrics.functions}, ${metrics.meanFunctionLines} lines on average`,
    longest
      ? `- longest function: ${longest.name}, ${longest.lines} lines from line ${longest.line}`
      : '- longest function: none found',
    `- longest line: ${metrics.longestLine} characters`,
    '',
  ].join('\n');
}
