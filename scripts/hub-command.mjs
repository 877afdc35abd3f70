// How the hub is started.
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** What Node gets to start the built hub, in the root of the project, as `npm start` does. */
export const HUB_ARGUMENTS = scripts.start.split(' ').slice(1);
