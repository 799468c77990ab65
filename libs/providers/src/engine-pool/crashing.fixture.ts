import { getPriority } from 'node:os';

// An engine that fails on command.
process.on('message', ({ task }: { task: string | number }) => {
  if (task === 'crash') process.exit(3);
  if (task === 'refuse') process.send?.({ failure: 'will not' });
  if (task === 'nonsense') process.send?.({ answer: 'not a number' });
  if (task === 'priority') process.send?.({ answer: getPriority() });
  if (typeof task === 'number') process.send?.({ answer: task * 2, cpuMs: task });
});
