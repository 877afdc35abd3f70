// The Python environment of a kit, kept outside the project between runs.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const CANDIDATES = ['python3.11', 'python3.12', 'python3.13', 'python3'];
const AT_LEAST_3_11 =
  'import sys; print(sys.version_info[:2]); sys.exit(sys.version_info < (3, 11))';
const READ_DEPENDENCIES =
  'import tomllib; print("\\n".join(tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]))';

/**
 * Makes the environment for a checkout, or finds the one made before.
 * @returns The Python of the environment.
 * @throws When there is no Python 3.11 or newer, or the packages cannot be installed.
 */
export function preparePython(checkout) {
  const python = findPython();
  const requirements = requirementsOf(checkout, python.command);
  const key = createHash('sha256').update(`${python.version}\n${requirements}`).digest('hex');
  const directory = join(cacheDirectory(), key.slice(0, 16));
  const ready = join(directory, 'ready');
  const installed = join(directory, 'venv/bin/python');
  if (existsSync(ready)) return installed;

  console.log(`Installing the kit's Python packages into ${directory} …`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const list = join(directory, 'requirements.txt');
  writeFileSync(list, requirements);
  const show = { stdio: ['ignore', 'inherit', 'inherit'] };
  execFileSync(python.command, ['-m', 'venv', join(directory, 'venv')], show);
  execFileSync(
    installed,
    ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', list],
    show,
  );
  writeFileSync(ready, '');
  return installed;
}

function findPython() {
  const chosen = process.env.A2A_TCK_PYTHON;
  for (const command of chosen ? [chosen] : CANDIDATES) {
    try {
      const version = execFileSync(command, ['-c', AT_LEAST_3_11], {
        stdio: ['ignore', 'pipe', 'ignore'],
        encoding: 'utf8',
      });
      return { command, version };
    } catch {
      // Missing, too old, or a shim without a version behind it: the next one.
    }
  }
  throw new Error(
    chosen
      ? `A2A_TCK_PYTHON: ${chosen} is not Python 3.11 or newer.`
      : 'The kit needs Python 3.11 or newer (tried ' +
          `${CANDIDATES.join(', ')}). Install one, or name it with A2A_TCK_PYTHON.`,
  );
}

/** What the checkout asks for: a list of one requirement a line. */
function requirementsOf(checkout, python) {
  const declared = execFileSync(python, ['-c', READ_DEPENDENCIES], {
    cwd: checkout,
    encoding: 'utf8',
  });
  const file = join(checkout, 'requirements.txt');
  const listed = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = `${declared}\n${listed}`.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter(Boolean))].sort().join('\n') + '\n';
}

function cacheDirectory() {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'a2a-hub-tck');
}
