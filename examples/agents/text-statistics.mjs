// Statistics of a text or text file. This agent cannot stream: a hub polls it.
//   node examples/agents/text-statistics.mjs --port 4103
import { dataPart, serveAgent, textPart } from './lib/agent-server.mjs';
import { measureText } from './lib/text-statistics.mjs';

await serveAgent({
  name: 'Text statistics',
  description: 'Counts words and sentences, rates readability, finds the most frequent terms.',
  streaming: false,
  skills: [
    {
      id: 'text-statistics',
      name: 'Text statistics',
      description:
        'Words, sentences, paragraphs, Flesch reading ease and grade, reading time, most frequent terms of a text.',
      tags: ['text', 'measure', 'statistics', 'readability'],
      examples: ['How readable is this text?'],
      inputModes: ['text/plain', 'text/markdown', 'text/csv'],
      outputModes: ['text/markdown', 'application/json'],
    },
  ],
  run: measure,
});

function measure(turn) {
  const file = turn.file;
  const text = file?.text ?? turn.text;
  if (!/\p{L}/u.test(text)) return turn.ask('Please send a text, or a text file inline.');
  const statistics = measureText(text);
  turn.artifact({
    id: 'statistics',
    name: 'Text statistics',
    parts: [
      textPart(report(file?.name || 'the text', statistics), '', 'text/markdown'),
      dataPart(statistics),
    ],
  });
  turn.complete(`Read ${statistics.words} words`);
}

function report(name, statistics) {
  const terms = statistics.topTerms.map(({ term, count }) => `${term} (${count})`).join(', ');
  return [
    `# Statistics of ${name}`,
    '',
    `- ${statistics.words} words (${statistics.uniqueWords} different), ${statistics.sentences} sentences, ${statistics.paragraphs} paragraphs`,
    `- ${statistics.wordsPerSentence} words per sentence, ${statistics.syllablesPerWord} syllables per word`,
    `- reading ease ${statistics.readingEase}, grade ${statistics.grade}, ${statistics.readingMinutes} minutes to read`,
    `- most frequent: ${terms}`,
    '',
  ].join('\n');
}
