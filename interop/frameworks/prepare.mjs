// Makes what the programs here run in, and keeps it in data/interop.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('./', import.meta.url));
const KEPT = fileURLToPath(new URL('../../data/interop/', import.meta.url));
const OPTIONS = { stdio: 'inherit', timeout: 900_000 };

/** The folder of its programs. */
export function prepare({ id, packages = id, language, project }) {
  if (language === 'go') return prepareGo();
  return language === 'java' ? prepareJava(project) : preparePython(packages);
}

/** An environment with the pinned packages; made anew when the pins are others. */
function preparePython(id) {
  const environment = join(KEPT, id);
  const requirements = join(HERE, 'requirements', `${id}.txt`);
  const made = join(environment, 'made-of.txt');
  const pins = readFileSync(requirements, 'utf8');
  if (existsSync(made) && readFileSync(made, 'utf8') === pins) return join(environment, 'bin');
  console.log(`${id}: installing ${pins.trim().replaceAll('\n', ', ')} …`);
  execFileSync('python3', ['-m', 'venv', '--clear', environment], OPTIONS);
  const python = join(environment, 'bin/python');
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '-r', requirements], OPTIONS);
  writeFileSync(made, pins);
  return join(environment, 'bin');
}

/** Go keeps what it has built by itself. */
function prepareGo() {
  const bin = join(KEPT, 'go');
  mkdirSync(bin, { recursive: true });
  execFileSync('go', ['build', '-o', `${bin}/`, './...'], { ...OPTIONS, cwd: join(HERE, 'go') });
  return bin;
}

/** What Maven makes of the project; of a client the classes, and what they need in `lib`. */
function prepareJava(project) {
  const build = join(KEPT, project);
  const goals = project.includes('agent')
    ? ['package']
    : ['compile', 'dependency:copy-dependencies', `-DoutputDirectory=${build}/lib`];
  const options = { ...OPTIONS, cwd: join(HERE, project) };
  execFileSync('mvn', ['-q', '-B', `-Dbuild.folder=${build}`, ...goals], options);
  return build;
}
