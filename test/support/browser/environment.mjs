// Jest's environment of the browser tests: a test that fails says what the pages it had open showed then.
import Environment from '../jest/environment.mjs';

/** Characters of a page: enough for what stands in the way. */
const MOST_SHOWN = 4_000;
/** The pages that `ConsoleBrowser` has open. */
const PAGES = Symbol.for('a2a-hub.test.pages');

export default class BrowserEnvironment extends Environment {
  async handleTestEvent(event) {
    if (event.name !== 'test_fn_failure' && event.name !== 'hook_failure') return;
    for (const { page, faults } of globalThis[PAGES] ?? []) {
      const body = page.locator('body');
      const shown = await body.ariaSnapshot({ timeout: 5_000 }).catch(String);
      const focus = await within(page.evaluate('document.activeElement?.outerHTML.slice(0, 200)'));
      process.stderr.write(
        `A test failed with ${page.url()} open, focus on ${focus}, errors: ${JSON.stringify(faults)}, and this to see:\n${shown.slice(0, MOST_SHOWN)}\n`,
      );
    }
  }
}

/** What a page answers; one that hangs does not keep the test from ending. */
async function within(answer) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, 5_000, 'unknown')));
  const first = await Promise.race([answer.catch(String), late]);
  clearTimeout(timer);
  return first;
}
