import { spawnSync } from 'node:child_process';
import type { z } from 'zod';

/** The JSON lines that a program prints; other lines are ignored. Throws if the program fails. */
export function jsonLinesOf<Line extends z.ZodType>([command = '', ...args]: readonly string[], line: Line): z.output<Line>[] {
  const { stdout, status } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
  const printed = stdout.split('\n').filter((text) => text.startsWith('{'));
  return printed.map((text) => line.parse(JSON.parse(text)));
}
