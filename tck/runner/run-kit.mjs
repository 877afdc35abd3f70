import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isOfAnotherTransport, recogniseKit } from './kit.mjs';
import {
  clearProgress,
  printFailures,
  printFailuresOfKit,
  printLost,
  printTable,
  showProgress,
} from './print.mjs';
import { Processes } from './processes.mjs';
import { preparePython } from './python.mjs';
import { lostThroughHub } from './results.mjs';
import { runPytest } from './session.mjs';

/** Parts of a checkout that no test needs. */
const LEFT_OUT = new Set(['.git', '.venv', 'node_modules', 'SUT', 'sut', '__pycache__']);

/**
 * Runs the kit and prints the outcome.
 * @returns Whether nothing failed beyond what is the kit's own fault.
 */
export async function runKit({ checkout, direct, compare, transport, level, json, pytestArgs }) {
  const kit = recogniseKit(checkout);
  if (!kit) throw new Error(`${checkout} is not a checkout of a2aproject/a2a-tck.`);
  const transports = choose(transport, kit.transports, '--transport');
  const groups = choose(level, kit.groups, '--level');
  const python = preparePython(checkout);

  const directory = mkdtempSync(join(tmpdir(), 'a2a-hub-tck-'));
  const processes = new Processes();
  const cleanUp = async () => {
    await processes.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void cleanUp().then(() => process.exit(1)));
  }
  try {
    const copy = join(directory, 'kit');
    cpSync(checkout, copy, { recursive: true, filter: (file) => !LEFT_OUT.has(basename(file)) });
    const sessions = kit.sessions(transports, groups);
    const bench = { kit, sessions, python, copy, pytestArgs, processes, directory };
    const runs = [];
    if (direct || compare) runs.push(await run('agent alone', bench, false));
    if (!direct) runs.push(await run('through the hub', bench, true));
    if (json) writeFileSync(json, `${JSON.stringify({ line: kit.line, runs }, null, 2)}\n`);
    return judge(kit, runs);
  } finally {
    await cleanUp();
  }
}

/** All sessions against one fresh agent, with or without a fresh hub before it. */
async function run(name, { kit, sessions, python, copy, pytestArgs, processes, directory }, hub) {
  const clientTaskIds = kit.clientTaskIds ?? false;
  const agentUrl = await processes.startAgent({ clientTaskIds });
  const target = hub
    ? (await processes.startHub({ agentUrl, directory, clientTaskIds })) + kit.target.hub
    : agentUrl + kit.target.agent;
  console.log(`A2A ${kit.line}, ${name}: ${target}`);
  const tests = [];
  for (const session of sessions) {
    const { transport, groups, args } = session;
    const label = `${transport} ${groups.join(', ')}`;
    const started = performance.now();
    const found = await runPytest({
      python,
      directory: copy,
      args: [...args, `${kit.targetOption}=${target}`, ...pytestArgs],
      onProgress: (done, all) => showProgress(`  ${label}: ${done} of ${all}`),
    });
    clearProgress();
    console.log(`  ${label}: ${Math.round((performance.now() - started) / 1000)} s`);
    for (const { markers, ...test } of found) {
      if (isOfAnotherTransport({ markers, ...test }, session)) continue;
      const group = groups.find((candidate) => markers.includes(candidate)) ?? groups[0];
      tests.push({ transport, group, ...test });
    }
  }
  await processes.stop();
  return { name, tests };
}

function judge(kit, runs) {
  printTable(kit, runs);
  printFailuresOfKit(kit, runs.at(-1));
  const failed = runs.map((each) => printFailures(kit, each));
  const lost = runs.length === 2 ? lostThroughHub(runs[0].tests, runs[1].tests) : [];
  if (runs.length === 2) printLost(lost);
  const tested = runs.every(({ tests }) => tests.length > 0);
  if (!tested) console.log('\nNo test was run.');
  return tested && failed.at(-1) === 0 && lost.length === 0;
}

function choose(list, all, option) {
  if (list === undefined) return all;
  const chosen = list.split(',').map((name) => name.trim());
  const unknown = chosen.find((name) => !all.includes(name));
  if (unknown) throw new Error(`${option}: ${unknown} is none of ${all.join(', ')}.`);
  return chosen;
}
