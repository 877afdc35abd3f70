#!/usr/bin/env node
import { run } from './command-line.js';

const exitCode = await run(process.argv.slice(2));
if (exitCode !== undefined) process.exitCode = exitCode;
