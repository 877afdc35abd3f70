import { describe, expect, it } from '@jest/globals';
import { ConfigError } from './config-error.js';
import { loadConfig } from './load-config.js';

const load = (origins: string) => loadConfig({ A2A_HUB__SERVER__CORS_ORIGINS: origins }).server;

describe('server.corsOrigins', () => {
  it('takes origins as browsers send them, and *', () => {
    const given = [
      'https://app.example.com',
      'http://localhost:3000',
      'http://[::1]:3000',
      'https://xn--mller-kva.example',
      'capacitor://localhost',
      'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
      '*',
    ];
    expect(load(given.join(', ')).corsOrigins).toEqual(given);
    expect(load('').corsOrigins).toEqual([]);
  });

  it.each([
    ['https://app.example.com/', 'write https://app.example.com'],
    ['https://App.Example.com', 'write https://app.example.com'],
    ['HTTPS://app.example.com', 'write https://app.example.com'],
    ['https://app.example.com:443', 'write https://app.example.com'],
    ['https://app.example.com/path?x', 'write https://app.example.com'],
    ['https://me@app.example.com', 'write https://app.example.com'],
    ['https://müller.example', 'write https://xn--mller-kva.example'],
    ['Capacitor://localhost/', 'write capacitor://localhost'],
    ['app.example.com', 'is not an origin'],
    ['localhost:3000', 'is not an origin'],
    ['https://*.example.com.', 'is not an origin'],
    ['null', 'is not an origin'],
    ['data:x', 'is not an origin'],
  ])('refuses %s, of which no page is, and says what to write', (origin, text) => {
    expect(() => load(`https://a.example,${origin}`)).toThrow(ConfigError);
    const place = 'server.corsOrigins (A2A_HUB__SERVER__CORS_ORIGINS): [1]: ';
    expect(() => load(`https://a.example,${origin}`)).toThrow(`${place}"${origin}" is not`);
    expect(() => load(`https://a.example,${origin}`)).toThrow(text);
  });
});
