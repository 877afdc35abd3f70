/** What a browser shows. */
export interface Shown {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser as far as consents go: cookies, redirects, links and forms. */
export class ConsentBrowser {
  private readonly cookies = new Map<string, Map<string, string>>();

  /** Opens an address and follows redirects, but not to an address that begins with `stopAt`. */
  async open(url: string, form?: URLSearchParams, stopAt?: string): Promise<Shown> {
    let [next, body] = [url, form];
    for (let hops = 0; hops < 20; hops++) {
      if (hops > 0 && stopAt !== undefined && next.startsWith(stopAt)) {
        return { url: next, status: 0, headers: new Headers(), text: '' };
      }
      const { origin } = new URL(next);
      const own = this.cookies.get(origin) ?? new Map<string, string>();
      this.cookies.set(origin, own);
      const answer = await fetch(next, {
        redirect: 'manual',
        headers: { cookie: [...own].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(body && { method: 'POST', body }),
      });
      for (const cookie of answer.headers.getSetCookie()) this.keep(next, cookie);
      const location = answer.headers.get('location');
      if (location === null) {
        const { status, headers } = answer;
        return { url: next, status, headers, text: await answer.text() };
      }
      await answer.body?.cancel();
      next = new URL(location, next).href;
      body = undefined;
    }
    throw new Error('too many redirects');
  }

  /** Keeps a cookie that an address has set. */
  keep(url: string, cookie: string): void {
    const { origin } = new URL(url);
    const own = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, own);
    const [pair = ''] = cookie.split(';');
    own.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
  }

  /** What it sends to an address: the cookies that are not empty. */
  cookiesFor(url: string): string {
    const own = [...(this.cookies.get(new URL(url).origin) ?? [])];
    return own
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
  }

  /** The same cookies at both: two processes of a hub have one address for browsers. */
  share(one: string, other: string): void {
    const own = this.cookies.get(new URL(one).origin);
    if (own !== undefined) this.cookies.set(new URL(other).origin, own);
  }

  /** Follows the one link of the hub's page to the provider, signs in there and consents, or (`denies`) does not. */
  async consent(link: string, account: string, denies = false, stopAt?: string): Promise<Shown> {
    const page = await this.open(link);
    const [, href] = /<a href="([^"]+)"/.exec(page.text) ?? [];
    if (href === undefined) return page;
    const shown = await this.open(href.replaceAll('&amp;', '&'), undefined, stopAt);
    return this.agree(shown, account, denies, stopAt);
  }

  /** Signs in and consents at the provider whose page is shown, or (`denies`) does not. */
  async agree(first: Shown, account: string, denies = false, stopAt?: string): Promise<Shown> {
    let shown = first;
    for (let forms = 0; forms < 3 && shown.status !== 0; forms++) {
      const action = /<form[^>]* action="([^"]+)"/.exec(shown.text)?.[1];
      if (action === undefined) return shown;
      const address = new URL(action, shown.url).href;
      const isLogin = shown.text.includes('name="login"');
      if (denies) return this.open(`${address}/abort`, undefined, stopAt);
      const form = new URLSearchParams({ prompt: isLogin ? 'login' : 'consent' });
      if (isLogin) {
        form.set('login', account);
        form.set('password', 'any');
      }
      shown = await this.open(address, form, stopAt);
    }
    return shown;
  }
}
