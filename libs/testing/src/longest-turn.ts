const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/**
 * For how long work keeps the event loop at most, in milliseconds of this thread's CPU: that of the longest turn of the loop while it
 * lasts. What others do on the machine does not count.
 */
export async function longestTurnMs(work: () => unknown): Promise<number> {
  let longest = 0;
  let isOver = false;
  await new Promise(setImmediate);
  let before = cpuMs();
  const look = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    await new Promise(setImmediate);
    isOver = true;
  }
  return longest;
}

/** What anything on an event loop may take. */
export const loopBudgetMs = 100;
