import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { Hub } from '../app.js';
import { eventually } from '../eventually.js';
import type { Json } from '../json.js';

/** How long the hub may take until an effect is there, on a slow machine. */
const EFFECT_MS = 15_000;

/** Chooses an entry of a menu, by the names of its button and of the entry. */
export async function choose(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

export function dialogOf(page: Page, name: string): Locator {
  return page.getByRole('dialog', { name, exact: true });
}

/** Fills inputs by their labels. */
export async function fill(
  where: Locator,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    await where.getByLabel(label, { exact: true }).fill(value);
  }
}

/** Presses a button. */
export async function press(where: Locator | Page, name: string): Promise<void> {
  await where.getByRole('button', { name, exact: true }).click();
}

/** Presses the button of a dialog that does what it is for; resolves when the dialog has closed. */
export async function submit(dialog: Locator, action: string): Promise<void> {
  await press(dialog, action);
  await dialog.waitFor({ state: 'hidden' });
}

/** Confirms what a dialog asks; resolves when it is done. */
export function confirm(page: Page, title: string, action: string): Promise<void> {
  return submit(dialogOf(page, title), action);
}

/** The row of a table that has this text. */
export function rowOf(page: Page, table: string, text: string | RegExp): Locator {
  return page
    .getByRole('region', { name: table, exact: true })
    .getByRole('row')
    .filter({ hasText: text });
}

/** What the clipboard of the browser holds. */
export function clipboard(page: Page): Promise<string> {
  return page.evaluate<string>('navigator.clipboard.readText()');
}

/** Waits until what the hub answers contains this. */
export async function hubHas(hub: Hub, path: string, wanted: Json): Promise<void> {
  await eventually(async () => {
    const { status, body } = await hub.admin('GET', path);
    expect({ status, body }).toMatchObject({ status: 200, body: wanted });
  }, EFFECT_MS);
}

/** Waits until the hub answers so. */
export async function hubAnswers(
  hub: Hub,
  path: string,
  status: number,
  key?: string,
): Promise<void> {
  await eventually(async () => {
    expect((await hub.admin('GET', path, undefined, key)).status).toBe(status);
  }, EFFECT_MS);
}

/** Presses what saves a file; its content. */
export async function saved(page: Page, press: () => Promise<void>): Promise<SavedFile> {
  const [file] = await Promise.all([page.waitForEvent('download'), press()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
  return { name: file.suggestedFilename(), content: Buffer.concat(chunks) };
}

export interface SavedFile {
  readonly name: string;
  readonly content: Buffer;
}
