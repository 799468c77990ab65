import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const tools = __dirname;
/** Of the functions that tools might use, those added after Node 20.11. */
const tooNew =
  /\b(?:globSync|glob|stripTypeScriptTypes|enableCompileCache|styleText)\b[^;]*\} from 'node:|from 'node:(?:sqlite|sea)'/;

/** A tool and everything it imports at start. */
function startingWith(name: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  const text = readFileSync(path.join(tools, name), 'utf8');
  for (const [, file = ''] of text.matchAll(/^(?:import|export) [^;]*'\.\/([\w-]+\.mjs)';/gm)) startingWith(file, seen);
  return seen;
}

/** Commands for a fresh clone, which install what is missing and continue with the project's own Node. */
function firstCommands(): string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(tools, '../package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = Object.values(scripts).flatMap((command) => /^(?:exec )?node tools\/([\w-]+\.mjs)$/.exec(command)?.[1] ?? []);
  return named.filter((name) => startingWith(name).has('workspace.mjs'));
}

it('finds the commands of a fresh clone', () => {
  expect(firstCommands()).toEqual(expect.arrayContaining(['start.mjs', 'test.mjs', 'cluster.mjs']));
});

it.each(firstCommands())('%s starts with the oldest Node in the README', (name) => {
  const wrong = [...startingWith(name)].filter((file) => tooNew.test(readFileSync(path.join(tools, file), 'utf8')));
  expect(wrong).toEqual([]);
});

it('has documents run compiled programs by the Node of the project: the oldest one does not know all that they use', () => {
  const docs = path.join(tools, '../docs');
  const files = [
    path.join(tools, '../README.md'),
    ...readdirSync(docs)
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.join(docs, name)),
  ];
  const commands = files.flatMap((file) => readFileSync(file, 'utf8').match(/^(?:env .*)?(?:[\w./]*\/)?node dist\/.*/gmu) ?? []);
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter((command) => !command.includes('node_modules/.bin/node dist/'))).toEqual([]);
});
