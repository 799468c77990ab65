/** To hand to `jest.useFakeTimers`: only what happens every so often is in the test's hands; all else goes on by the clock. */
export const onlyIntervals = {
  doNotFake: [
    'Date',
    'hrtime',
    'nextTick',
    'performance',
    'queueMicrotask',
    'setImmediate',
    'clearImmediate',
    'setTimeout',
    'clearTimeout',
  ],
} satisfies Parameters<typeof jest.useFakeTimers>[0];
