import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { adminValidationPipe } from '../src/common/http/validation.pipe.js';
import { renderConfigurationDocs, renderDefaultYaml } from '../src/config/document-settings.js';
import { CreateCompositeDto } from '../src/routing/composites/composite.dto.js';
import { completed } from '../src/routing/composites/composites.service.js';
import { checkDefinition } from '../src/routing/composites/domain/check-definition.js';
import { templatesOf } from '../src/routing/composites/domain/skill-of-composite.js';
import { status } from '../src/tasks/domain/fake-events.js';
import { FakeTask } from '../src/tasks/domain/fake-task.js';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

// When one of these fails because the code changed: npm run docs.
describe('generated files', () => {
  it('config/default.yaml holds every setting with its default', () => {
    expect(read('config/default.yaml')).toBe(renderDefaultYaml());
  });

  it('docs/configuration.md describes every setting', () => {
    expect(read('docs/configuration.md')).toBe(renderConfigurationDocs());
  });
});

describe('AGENTS.md', () => {
  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read('AGENTS.md').matchAll(/npm run ([\w:]+)/g)].map((match) => match[1]!);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('the start of the hub', () => {
  const { start } = (JSON.parse(read('package.json')) as { scripts: { start: string } }).scripts;

  it('is the same by npm, in the image and in the unit of docs/operate.md', () => {
    const command = /^CMD (\[.*dist\/main\.js"\])$/m.exec(read('Dockerfile'))![1]!;
    expect((JSON.parse(command) as string[]).join(' ')).toBe(start);
    const unit = /^ExecStart=(.*)$/m.exec(read('docs/operate.md'))![1]!;
    expect(unit.replace('/usr/bin/', '').replace('/opt/a2a-hub/current/', '')).toBe(start);
  });

  it.each(['README.md', 'docs/operate.md'])('is what %s says for service managers', (file) => {
    expect(read(file)).toContain(`\`${start}\``);
  });
});

describe('docs/orchestration.md', () => {
  const section = read('docs/orchestration.md').split('## Composite skills')[1]!;
  const blocks = (language: string): string[] =>
    [...section.matchAll(new RegExp('```' + language + '\\n(.*?)```', 'gs'))].map(
      (match) => match[1]!,
    );

  it('shows a composite skill that can be saved, the same in YAML and for the API', async () => {
    const { compositeSkills } = parse(blocks('yaml')[0]!) as { compositeSkills: unknown[] };
    const body: unknown = JSON.parse(/-d '(.*)'/s.exec(blocks('sh')[0]!)![1]!);
    expect(compositeSkills).toEqual([body]);
    const dto = (await adminValidationPipe().transform(body, {
      type: 'body',
      metatype: CreateCompositeDto,
    })) as CreateCompositeDto;
    expect(checkDefinition(completed(dto))).toEqual([]);
  });

  it('shows a fallback that can be saved, and that completes its task', () => {
    const { steps } = parse(blocks('yaml')[1]!) as Pick<CreateCompositeDto, 'steps'>;
    expect(steps).toHaveLength(2);
    expect(checkDefinition({ steps, maxCalls: null })).toEqual([]);
    const chosen = (agentId: string) => [{ agentId, why: '' }];
    const plan = templatesOf({ steps }).map(({ target, ...step }) => ({
      ...step,
      chosen: chosen(target.agentId ?? 'another'),
    }));
    const task = new FakeTask({ plan });
    task.agent(status('failed'), 'translator');
    task.claim('another').agent(status('completed'), 'another');
    expect(task.delegation('another').state).toBe('completed');
    expect(task.state).toBe('COMPLETED');
  });
});
