/** What waits, first in, first out. */
interface Queue<T> {
  items: T[];
  head: number;
}

const newQueue = <T>(): Queue<T> => ({ items: [], head: 0 });

function shift<T>(queue: Queue<T>): T | undefined {
  const item = queue.items[queue.head];
  queue.head += 1;
  // Cutting off what is done now and then keeps taking an item cheap however many wait.
  if (queue.head > 100 && queue.head * 2 > queue.items.length) {
    queue.items = queue.items.slice(queue.head);
    queue.head = 0;
  }
  return item;
}

const isEmpty = <T>(queue: Queue<T>) => queue.head >= queue.items.length;

/**
 * Runs jobs side by side, up to `concurrency`; those of one lane one after the other, in the order they came.
 * `run` resolves to the milliseconds after which the job is to run again (its lane waits for it, others do
 * not), or to undefined when it is done. It must not reject.
 */
export function createLanes<T>(options: {
  concurrency: number;
  run: (job: T) => Promise<number | undefined>;
}) {
  const ready = newQueue<{ job: T; lane: string | undefined }>();
  const held = new Map<string, Queue<T>>();
  const pauses = new Set<NodeJS.Timeout>();
  let running = 0;
  let closed = false;

  async function work(job: T, lane: string | undefined): Promise<void> {
    running += 1;
    const again = await options.run(job);
    running -= 1;
    if (closed) return;
    if (again === undefined) release(lane);
    else pauseThen(again, () => ready.items.push({ job, lane }));
    pump();
  }

  function pauseThen(milliseconds: number, resume: () => void): void {
    const pause = setTimeout(() => {
      pauses.delete(pause);
      resume();
      pump();
    }, milliseconds);
    pauses.add(pause);
  }

  function release(lane: string | undefined): void {
    if (lane === undefined) return;
    const waiting = held.get(lane);
    const next = waiting === undefined || isEmpty(waiting) ? undefined : shift(waiting);
    if (next === undefined) held.delete(lane);
    else ready.items.push({ job: next, lane });
  }

  function pump(): void {
    while (!closed && running < options.concurrency && !isEmpty(ready)) {
      const next = shift(ready);
      if (next !== undefined) void work(next.job, next.lane);
    }
  }

  return {
    add(job: T, lane: string | undefined): void {
      const waiting = lane === undefined ? undefined : held.get(lane);
      if (waiting !== undefined) {
        waiting.items.push(job);
        return;
      }
      if (lane !== undefined) held.set(lane, newQueue());
      ready.items.push({ job, lane });
      pump();
    },
    /** Starts nothing more. */
    close(): void {
      closed = true;
      for (const pause of pauses) clearTimeout(pause);
    },
  };
}

export type Lanes<T> = ReturnType<typeof createLanes<T>>;
