#!/usr/bin/env node
import { endProcess, run } from './command-line.js';

const exitCode = await run(process.argv.slice(2));
if (exitCode !== undefined) await endProcess(exitCode);
