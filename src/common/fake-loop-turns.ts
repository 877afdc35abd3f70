/** Counts turns of the event loop until what it gives is called. */
export function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return () => {
    isOver = true;
    return turns;
  };
}
