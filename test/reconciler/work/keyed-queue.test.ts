import { KeyedQueue } from '../../../reconciler/src/work/keyed-queue';

interface Job {
  readonly key: string;
  end(error?: unknown): void;
}

/** A queue whose work is ended by hand. */
function queue(width = 2) {
  const jobs: Job[] = [];
  const failed: [string, number][] = [];
  const done: string[] = [];
  const made = new KeyedQueue({
    width,
    backOff: { firstMs: 100, longestMs: 1000, random: () => 1 },
    work: async (key) => new Promise((resolve, reject) => jobs.push({ key, end: (error) => error === undefined ? resolve() : reject(error) })),
    failed: (key, _, retryMs) => failed.push([key, retryMs]),
    done: (key) => done.push(key),
  });
  const end = async (index: number, error?: unknown) => {
    jobs[index].end(error);
    await new Promise(setImmediate);
  };
  return { made, jobs, keys: () => jobs.map(({ key }) => key), failed, done, end };
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] }));
afterEach(() => jest.useRealTimers());

test('nothing is worked until it is released', () => {
  const { made, keys } = queue();
  made.add('a');
  expect(keys()).toEqual([]);
  made.release();
  expect(keys()).toEqual(['a']);
});

test('no more are worked at a time than are allowed, in the order in which they came', async () => {
  const { made, keys, end } = queue();
  made.release();
  for (const key of ['a', 'b', 'c', 'd']) made.add(key);
  expect(keys()).toEqual(['a', 'b']);
  await end(1);
  expect(keys()).toEqual(['a', 'b', 'c']);
});

test('a key that is added many times is worked once, and once more when it was added while it was worked', async () => {
  const { made, keys, end } = queue();
  made.add('a');
  made.add('a');
  made.release();
  made.add('a');
  made.add('a');
  expect(keys()).toEqual(['a']);
  await end(0);
  expect(keys()).toEqual(['a', 'a']);
  await end(1);
  expect(keys()).toEqual(['a', 'a']);
});

test('one that fails is tried again after twice as long each time, up to a limit, and holds up no other', async () => {
  const { made, keys, failed, end } = queue(1);
  made.release();
  made.add('bad');
  for (let index = 0; index < 6; index++) {
    await end(index, new Error('no'));
    jest.advanceTimersByTime(failed.at(-1)![1]);
  }
  expect(failed.map(([, ms]) => ms)).toEqual([100, 200, 400, 800, 1000, 1000]);
  await end(6, new Error('no'));
  made.add('good');
  expect(keys().at(-1)).toBe('good');
});

test('one that has failed waits for its time, whatever is added; after a success it begins anew', async () => {
  const { made, keys, failed, end } = queue();
  made.release();
  made.add('a');
  await end(0, new Error('no'));
  made.add('a');
  jest.advanceTimersByTime(99);
  expect(keys()).toEqual(['a']);
  jest.advanceTimersByTime(1);
  expect(keys()).toEqual(['a', 'a']);
  await end(1);
  made.add('a');
  await end(2, new Error('no'));
  expect(failed.map(([, ms]) => ms)).toEqual([100, 100]);
});

test('what the peer asks to wait for is waited for', async () => {
  const { made, failed, end } = queue();
  made.release();
  made.add('a');
  await end(0, Object.assign(new Error('busy'), { retryAfterMs: 5000 }));
  expect(failed).toEqual([['a', 5000]]);
});

test('it is drained when each key was worked, or has failed once', async () => {
  const { made, end } = queue();
  let drained = false;
  for (const key of ['a', 'b', 'c']) made.add(key);
  made.release();
  void made.drain().then(() => drained = true);
  await end(0, new Error('no'));
  await end(1);
  expect(drained).toBe(false);
  await end(2);
  expect(drained).toBe(true);
});

test('when it is held, it is drained by the end of what is under way, also where the time of one that has failed has come', async () => {
  const { made, keys, end } = queue();
  let drained = false;
  for (const key of ['bad', 'slow']) made.add(key);
  made.release();
  await end(0, new Error('no'));
  made.hold();
  void made.drain().then(() => drained = true);
  jest.advanceTimersByTime(100);
  await end(1);
  expect([drained, keys()]).toEqual([true, ['bad', 'slow']]);
});

test('when it is cleared, what waited is forgotten', async () => {
  const { made, keys, end } = queue(1);
  made.release();
  for (const key of ['a', 'b']) made.add(key);
  made.hold();
  made.clear();
  await end(0);
  made.release();
  expect(keys()).toEqual(['a']);
  expect(made.depth).toBe(0);
});

test('when it is cleared, what fails afterwards is not tried again', async () => {
  const { made, keys, failed, end } = queue(1);
  made.release();
  made.add('a');
  made.clear();
  await end(0, new Error('no'));
  jest.advanceTimersByTime(10_000);
  expect([keys(), failed, made.depth]).toEqual([['a'], [], 0]);
});
