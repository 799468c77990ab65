import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { childProcess, EnginePool, type Pace, speechWaitMsMax } from '../engine-pool';
import { noModelOf } from '../vendor';

const packageName = 'sherpa-onnx-node';

/** A model unpacked by `npm run models -- add`. */
export interface ModelFolder {
  readonly name: string;
  /** A smaller model with the same files, used if this one is not installed. */
  readonly smaller?: string;
  /** The endings of its file names, by purpose. */
  readonly files: Readonly<Record<string, string>>;
}

/** The paths of a model's files; undefined unless all exist. */
export function filesOf({ name, smaller, files }: ModelFolder, modelsFolder: string): Record<string, string> | undefined {
  return filesIn(name, files, modelsFolder) ?? (smaller === undefined ? undefined : filesIn(smaller, files, modelsFolder));
}

function filesIn(name: string, files: ModelFolder['files'], modelsFolder: string): Record<string, string> | undefined {
  const folder = path.resolve(modelsFolder, name);
  if (!existsSync(folder)) return undefined;
  const present = readdirSync(folder);
  const found = Object.entries(files).map(
    ([purpose, ending]) => [purpose, present.find((file) => file.endsWith(ending))] as const,
  );
  if (found.some(([, file]) => file === undefined)) return undefined;
  return Object.fromEntries(found.map(([purpose, file]) => [purpose, path.join(folder, file ?? '')]));
}

/** The path of the optional package, if it is installed. */
export function enginePath(): string | undefined {
  try {
    return require.resolve(packageName);
  } catch {
    return undefined;
  }
}

/** What is missing for an engine to work; undefined if nothing is. */
export function lacking(models: readonly ModelFolder[], modelsFolder: string): string | undefined {
  if (enginePath() === undefined) return `needs the optional package ${packageName}: npm install ${packageName}`;
  if (models.some((model) => filesOf(model, modelsFolder))) return undefined;
  return noModelOf([...new Set(models.flatMap(({ name, smaller = name }) => [name, smaller]))]);
}

export const provider = 'sherpa-onnx';

/** A pool of processes for one model, which is loaded with the first job. */
export function sherpaPool<Reply extends z.ZodType>(
  kind: 'speak' | 'hear',
  configuration: object,
  reply: Reply,
): EnginePool<object, Reply> {
  const file = path.join(__dirname, `sherpa.child${path.extname(__filename)}`);
  const start = async (pace: Pace) => childProcess(file, [enginePath() ?? '', kind, JSON.stringify(configuration)], pace);
  return new EnginePool({
    provider,
    places: 1,
    queueMax: 16,
    ...(kind === 'speak' && { waitMsMax: speechWaitMsMax }),
    jobMs: 120_000,
    reply,
    start,
  });
}
