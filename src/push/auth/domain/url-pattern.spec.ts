import { describe, expect, it } from '@jest/globals';
import { bySpecificity, matchesUrl, parseUrlPattern } from './url-pattern.js';

function matches(pattern: string, url: string): boolean {
  const parsed = parseUrlPattern(pattern);
  if (!parsed) throw new Error(`${pattern} is no pattern`);
  return matchesUrl(parsed, url);
}

describe('parseUrlPattern', () => {
  it.each([
    '',
    '*',
    'https://*',
    'https://*.*.example.com',
    'https://a*.example.com',
    'https://example.*',
    'ftp://example.com',
    'https://user@example.com',
    'https://user:pass@example.com',
    'https://example.com/?a=b',
    'https://example.com/#x',
    'https://example.com\\evil',
    'https://example.com:99999',
    'https://*.0.0.1',
    'https://*.[::1]',
    'https://exa mple.com',
    'https://example.com/a%2fb',
    'javascript:alert(1)',
  ])('refuses %j', (written) => {
    expect(parseUrlPattern(written)).toBeUndefined();
  });

  it('is https on its own port unless it says otherwise', () => {
    expect(parseUrlPattern('hooks.example.com')).toEqual(
      parseUrlPattern('https://hooks.example.com:443/'),
    );
    expect(parseUrlPattern('http://hooks.example.com')).toMatchObject({
      protocol: 'http:',
      port: '80',
    });
  });
});

describe('matchesUrl', () => {
  it.each([
    ['hooks.example.com', 'https://hooks.example.com/any/path?x=1'],
    ['hooks.example.com', 'https://HOOKS.Example.COM/'],
    ['hooks.example.com', 'https://hooks.example.com./'],
    ['hooks.example.com', 'https://hooks.example.com:443/'],
    ['https://hooks.example.com:8443', 'https://hooks.example.com:8443/x'],
    ['*.example.com', 'https://a.b.example.com/'],
    ['https://example.com/hooks', 'https://example.com/hooks'],
    ['https://example.com/hooks', 'https://example.com/hooks/a'],
    ['https://example.com/hooks/', 'https://example.com/hooks?x=1'],
    ['bücher.example', 'https://xn--bcher-kva.example/'],
    ['xn--bcher-kva.example', 'https://BÜCHER.example/'],
    ['http://10.1.2.3:8080', 'http://10.1.2.3:8080/x'],
    ['http://10.1.2.3', 'http://0x0a.1.2.3/'],
    ['https://[::1]:8443', 'https://[0:0:0:0:0:0:0:1]:8443/x'],
  ])('%s lets %s through', (pattern, url) => {
    expect(matches(pattern, url)).toBe(true);
  });

  it.each([
    ['example.com', 'https://evil-example.com/'],
    ['*.example.com', 'https://evil-example.com/'],
    ['*.example.com', 'https://example.com/'],
    ['*.example.com', 'https://example.com.evil.org/'],
    ['*.example.com', 'https://evil.org/x.example.com'],
    ['*.example.com', 'https://evil.org?.example.com'],
    ['*.example.com', 'https://evil.org#.example.com'],
    ['*.example.com', 'https://a.example.com@evil.org/'],
    ['*.example.com', 'https://evil.org\\.example.com/'],
    ['example.com', 'https://user@example.com/'],
    ['example.com', 'https://user:pass@example.com/'],
    ['example.com', 'http://example.com/'],
    ['example.com', 'https://example.com:8443/'],
    ['http://example.com', 'https://example.com/'],
    ['https://example.com/hooks', 'https://example.com/hooksevil'],
    ['https://example.com/hooks', 'https://example.com/HOOKS'],
    ['https://example.com/hooks', 'https://example.com/hooks/../admin'],
    ['https://example.com/hooks', 'https://example.com/hooks/%2e%2e/admin'],
    ['https://example.com/hooks', 'https://example.com/hooks/..%2fadmin'],
    ['https://example.com/hooks', 'https://example.com/hooks/..%5cadmin'],
    ['https://example.com/hooks', 'https://example.com/hooks/%252e%252e/admin'],
    ['https://example.com/hooks', 'https://example.com//hooks'],
    ['bücher.example', 'https://bucher.example/'],
    ['*.1.example', 'https://10.0.0.1/'],
    ['example.com', 'not a url'],
  ])('%s does not let %s through', (pattern, url) => {
    expect(matches(pattern, url)).toBe(false);
  });
});

describe('bySpecificity', () => {
  it('puts exact hosts first, then longer names, then longer paths', () => {
    const ordered = [
      'https://a.b.example.com/x/y',
      'https://a.b.example.com/x',
      'https://a.b.example.com',
      'https://a.example.com/x',
      'https://*.b.example.com/x',
      'https://*.b.example.com',
      'https://*.example.com/x/y/z',
    ].map((written) => parseUrlPattern(written)!);
    const shuffled = [3, 6, 0, 5, 2, 4, 1].map((i) => ordered[i]!);
    expect(shuffled.sort(bySpecificity)).toEqual(ordered);
  });
});
