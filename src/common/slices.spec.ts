import { expect, it, jest } from '@jest/globals';
import { countTurns } from './fake-loop-turns.js';
import { mapInSlices, nextSlice, sliceFor } from './slices.js';

function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Pieces that take a millisecond each; counts those that each turn of the event loop has. */
async function work(pieces: number, count: () => void, piece = () => busy(1)): Promise<void> {
  for (let n = 0; n < pieces; n += 1) {
    const turn = nextSlice();
    if (turn !== undefined) await turn;
    count();
    piece();
  }
}

/** Resolves when no slice of a turn before is left. */
function noSlice(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

it('gives all who work at once no more of a turn of the event loop than one', async () => {
  const perTurn: number[] = [0];
  let isOver = false;
  const turn = (): void => {
    perTurn.push(0);
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const count = (): void => void (perTurn[perTurn.length - 1]! += 1);
  await Promise.all(Array.from({ length: 30 }, () => work(10, count)));
  isOver = true;
  expect(perTurn.reduce((sum, each) => sum + each)).toBe(300);
  // A slice that has begun ends with the piece it is in; two slices may stand in one turn that begins between them.
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(6);
});

it('waits for nobody who is alone', async () => {
  await noSlice();
  expect(nextSlice()).toBeUndefined();
});

it('has everybody come to an end, those that came first before those that come later', async () => {
  // By a clock that only work moves: a busy machine may end slices of the first one's early.
  await noSlice();
  let ms = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => ms);
  const timed = (): Promise<void> =>
    work(
      20,
      () => {},
      () => void (ms += 1),
    );
  try {
    const ended: string[] = [];
    const first = timed().then(() => ended.push('first'));
    await new Promise((resolve) => setImmediate(resolve));
    const later = Array.from({ length: 5 }, () => timed().then(() => ended.push('later')));
    await Promise.all([first, ...later]);
    expect(ended[0]).toBe('first');
    expect(ended).toHaveLength(6);
    await noSlice();
  } finally {
    clock.mockRestore();
  }
});

it('maps a list in its order, a little of it in each turn', async () => {
  const turns = countTurns();
  const mapped = await mapInSlices([1, 2, 3, 4, 5, 6, 7, 8], (each) => {
    busy(1);
    return each * 2;
  });
  const counted = turns();
  expect(mapped).toEqual([2, 4, 6, 8, 10, 12, 14, 16]);
  expect(counted).toBeGreaterThanOrEqual(2);
});

it('has what is small begin at once, and what is not wait for the slice of a later turn', async () => {
  await noSlice();
  const large = Array.from({ length: 4000 }, (_, n) => n);
  expect(sliceFor(large)).toBeUndefined();
  busy(3);
  expect(sliceFor([1, 'a', { b: null }])).toBeUndefined();
  expect(sliceFor('x'.repeat(100_000))).toBeInstanceOf(Promise);
  await sliceFor(large);
});

it('has many that wait begin in one turn, where each takes little', async () => {
  await noSlice();
  await nextSlice();
  busy(3);
  const turns = countTurns();
  await Promise.all(
    Array.from({ length: 300 }, () =>
      work(
        1,
        () => {},
        () => busy(0.02),
      ),
    ),
  );
  const counted = turns();
  expect(counted).toBeLessThan(100);
});

it('has who comes later wait behind those who wait already', async () => {
  await noSlice();
  await nextSlice();
  busy(3);
  const order: string[] = [];
  const waiting = ['first', 'second', 'third'].map((name) =>
    work(
      1,
      () => order.push(name),
      () => busy(3),
    ),
  );
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([...waiting, work(1, () => order.push('later'))]);
  expect(order).toEqual(['first', 'second', 'third', 'later']);
});
