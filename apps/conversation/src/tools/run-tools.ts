import type { ToolCall } from '@parley/ports';
import type { ToolSurroundings, TurnTool } from './tool';

const callsMax = 4;
const toolMs = 5000;
const resultLettersMax = 4000;

/**
 * Does what the model asked for, side by side, and answers what it is to be told of each. Only tools that were offered
 * run; a name out of a document is no tool. One that fails or takes too long is told as such, and the turn goes on.
 */
export function runTools(
  calls: readonly ToolCall[],
  tools: readonly TurnTool[],
  surroundings: ToolSurroundings,
): Promise<string[]> {
  return Promise.all(
    calls.map(async (call, place) => {
      if (place >= callsMax) return `Not done: at most ${callsMax} tools at a time.`;
      const tool = tools.find(({ specification }) => specification.name === call.name);
      if (!tool) return 'There is no such tool.';
      const told = await inTime(tool.run(call.arguments, surroundings)).catch(() => 'The tool failed. Go on without it.');
      return told.slice(0, resultLettersMax);
    }),
  );
}

async function inTime(work: Promise<string>): Promise<string> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve('The tool took too long. Go on without it.'), toolMs);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
