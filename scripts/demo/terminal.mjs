// Output for people: plain when it goes to a file.
const colored = process.stdout.isTTY && !process.env.NO_COLOR;

export const bold = (text) => (colored ? `\x1b[1m${text}\x1b[0m` : text);
export const dim = (text) => (colored ? `\x1b[2m${text}\x1b[0m` : text);

export function print(text = '') {
  process.stdout.write(`${text}\n`);
}

/** The headline of a chapter. */
export function chapter(text) {
  print(`\n${bold(`== ${text}`)}`);
}
