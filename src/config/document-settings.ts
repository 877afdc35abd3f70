import { stringify } from 'yaml';
import { type Members, Section, environmentName, settingsOf, writtenName } from './setting.js';
import { SETTINGS } from './settings.js';

const YAML_HEAD = `# Every setting of A2A Hub with its default. This file is read first, then the file that the
# variable A2A_HUB_CONFIG names (YAML or JSON, only the keys to change), then variables such as
# A2A_HUB__DATABASE__URL (path parts joined by __, camelCase as UPPER_SNAKE, lists by comma).
# Generated from src/config/settings/ by \`npm run docs\`.
`;

const MARKDOWN_HEAD = `# Configuration

<!-- Generated from src/config/settings/ by \`npm run docs\`. -->

The hub reads [\`config/default.yaml\`](../config/default.yaml) first, then the file that the variable
\`A2A_HUB_CONFIG\` names (YAML or JSON, only the keys to change), then environment variables. A
variable's name is the key's parts joined by \`__\`, with camelCase as UPPER_SNAKE
(\`tasks.blockingWait\` is \`A2A_HUB__TASKS__BLOCKING_WAIT\`); lists are separated by commas, an empty
value means null. Keys the hub does not know and values of the wrong type are refused at start,
several at once; what is wrong with the form of an entry may hide until then what else is.

Durations are written \`500ms\`, \`5s\`, \`10m\`, \`24h\`, \`30d\`; sizes \`512B\`, \`64KiB\`, \`10MiB\`, \`1GiB\`.
A setting marked _secret_ is never shown. It may be given as \`env:NAME\` (a variable) or
\`file:PATH\` (a file's content), as may one marked _reference_.
`;

/** The content of `config/default.yaml`. */
export function renderDefaultYaml(): string {
  return YAML_HEAD + renderMembers(SETTINGS, '');
}

/** The content of `docs/configuration.md`. */
export function renderConfigurationDocs(): string {
  const top = Object.entries(SETTINGS).filter(([, node]) => !(node instanceof Section));
  const parts = [MARKDOWN_HEAD, '## Top level\n', ...entries(Object.fromEntries(top), '')];
  for (const [name, node] of Object.entries(SETTINGS)) {
    if (!(node instanceof Section)) continue;
    parts.push(`## ${name}\n`, `${node.description}\n`, ...entries(node.members, `${name}.`));
  }
  return parts.join('\n');
}

function renderMembers(members: Members, indent: string): string {
  const blocks = Object.entries(members).map(([member, node]) => {
    const name = writtenName(member, node);
    if (node instanceof Section) {
      const head = `${comment(node.description, indent)}${indent}${name}:\n`;
      return head + renderMembers(node.members, `${indent}  `);
    }
    const secret = node.secret ? ' Secret.' : '';
    const text = `${node.description}${secret} Allowed: ${node.allowed}.`;
    return `${comment(text, indent)}${indent}${name}: ${inline(node.write(node.default))}\n`;
  });
  return indent === '' ? blocks.map((block) => `\n${block}`).join('') : blocks.join('');
}

function* entries(members: Members, prefix: string): Generator<string> {
  for (const { key, setting } of settingsOf(members)) {
    const full = prefix + key;
    const secret = setting.secret ? ' _Secret._' : setting.reference ? ' _Reference._' : '';
    yield `### \`${full}\`\n`;
    yield `${setting.description}${secret}\n`;
    yield [
      `- default: \`${inline(setting.write(setting.default))}\``,
      `- allowed: ${setting.allowed}`,
      `- variable: \`${environmentName(full)}\`\n`,
    ].join('\n');
  }
}

function inline(value: unknown): string {
  return stringify(value, {
    collectionStyle: 'flow',
    flowCollectionPadding: false,
    singleQuote: true,
    lineWidth: 0,
  }).trim();
}

/** A comment of lines no longer than 100 characters. */
function comment(text: string, indent: string): string {
  const lines: string[] = [];
  let line = `${indent}#`;
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > 100) {
      lines.push(line);
      line = `${indent}#`;
    }
    line += ` ${word}`;
  }
  return [...lines, line].map((entry) => `${entry}\n`).join('');
}
