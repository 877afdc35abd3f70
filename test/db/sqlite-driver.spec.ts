import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { driverFrom, packageFor, SQLITE_PACKAGE } from '../../src/database/better-sqlite3.js';

describe('the driver of SQLite', () => {
  it('is the one that the Node-API of this Node can load', () => {
    expect(packageFor(9)).toBe('better-sqlite3');
    expect(packageFor(10)).toBe('better-sqlite3-napi');
    expect(SQLITE_PACKAGE).toBe(packageFor(Number(process.versions['napi'])));
  });

  it('is not compiled by `npm ci`, which looks for that in the lock file alone', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, object>;
    };
    // `npm install` takes the line out: put it back.
    expect(packages['node_modules/better-sqlite3-napi']).toMatchObject({ gypfile: false });
  });

  it('says so when it is not installed, once a database is opened', () => {
    const Missing = driverFrom(() => {
      throw new Error('Cannot find module');
    });
    expect(() => new Missing(':memory:')).toThrow(
      /^the SQLite driver is not installed for Node \d.*: install the packages again/,
    );
  });

  it('does not end the process when its statements are collected', () => {
    const program = `
      const database = new (require('${SQLITE_PACKAGE}'))(':memory:');
      for (let n = 0; n < 20_000; n++) database.prepare('SELECT ' + n).get();
    `;
    const { status, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
