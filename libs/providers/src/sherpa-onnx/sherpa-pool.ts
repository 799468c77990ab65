import path from 'node:path';
import type { z } from 'zod';
import { childProcess, EnginePool } from '../engine-pool';
import { enginePath } from './installed-model';

export const provider = 'sherpa-onnx';

/** A process that has loaded one model, with a line before it. The model is loaded with the first job. */
export function sherpaPool<Reply extends z.ZodType>(
  kind: 'speak' | 'hear',
  configuration: object,
  reply: Reply,
): EnginePool<object, Reply> {
  const file = path.join(__dirname, `sherpa.child${path.extname(__filename)}`);
  const start = async () => childProcess(file, [enginePath() ?? '', kind, JSON.stringify(configuration)]);
  return new EnginePool({ provider, places: 1, queueMax: 16, jobMs: 120_000, reply, start });
}
