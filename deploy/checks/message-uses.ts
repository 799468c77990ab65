import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { contractByName, serviceNames } from '../../libs/contracts/src';
import type { MessageUse, MessageUses } from '../../libs/messaging/src';
import { isShipped } from '../../tools/shipped.mjs';
import { repository } from './yaml-documents';

interface Source {
  readonly text: string;
  /** The names that it imports, and from where. */
  readonly imports: readonly { name: string; from: string }[];
}

/** Which messages every service uses, read from what its shipped source and the parts of libs behind it mention. */
export function messageUsesInSource(): MessageUses {
  const libs = new Libs();
  const useOf = (app: string): MessageUse => {
    const own = sourcesIn(`apps/${app}/src`);
    return joined([...own, ...libs.behind(own)].map(usesOf));
  };
  const ofServices = serviceNames.map((name) => [name, useOf(name)] as const);
  return Uses.parse({ ...Object.fromEntries(ofServices), admin: useOf('admin'), host: useOf('all-in-one') });
}

/** Every service is there, and its name checked. */
const Uses = z.record(z.enum([...serviceNames, 'admin', 'host']), z.custom<MessageUse>());

function usesOf({ text, imports }: Source): MessageUse {
  const use = { asks: new Set<string>(), consumes: new Set<string>(), hears: new Set<string>() };
  const body = text.replaceAll(/import [^;]*? from '[^']+';/g, '');
  for (const { name, from } of imports) {
    const contract = from === '@parley/contracts' ? contractByName.get(name) : undefined;
    if (!contract) continue;
    if (contract.kind === 'event') {
      if (body.includes(`@Consumes(${name})`) || body.includes(`@Consumes(${name}, `)) use.consumes.add(name);
      if (body.includes(`@Hears(${name})`)) use.hears.add(name);
    } else if (isMentioned(name, body)) use.asks.add(name);
  }
  return { asks: [...use.asks], consumes: [...use.consumes], hears: [...use.hears] };
}

/** Whether a contract is used as a value: to answer it or to name its type is no reason to ask. */
function isMentioned(name: string, body: string): boolean {
  const rest = body.replaceAll(new RegExp(`@Handles\\(${name}\\)|typeof ${name}\\b`, 'g'), '');
  return new RegExp(`\\b${name}\\b`).test(rest);
}

function joined(uses: readonly MessageUse[]): MessageUse {
  const all = (pick: (use: MessageUse) => readonly string[]): string[] => [...new Set(uses.flatMap(pick))].sort();
  return { asks: all(({ asks }) => asks), consumes: all(({ consumes }) => consumes), hears: all(({ hears }) => hears) };
}

/** The files of libs by what they export, so that only what an app really imports counts as its own. */
class Libs {
  private readonly byName = new Map<string, Source>();

  constructor() {
    const folders = readdirSync(path.join(repository, 'libs')).filter((lib) => lib !== 'contracts' && lib !== 'testing');
    for (const source of folders.flatMap((lib) => sourcesIn(`libs/${lib}/src`)))
      for (const [, name] of source.text.matchAll(/^export (?:abstract |async )?(?:class|function\*?|const) (\w+)/gm))
        if (name) this.byName.set(name, source);
  }

  /** Every file of a lib that these lead to. */
  behind(sources: readonly Source[]): Source[] {
    const found = new Set<Source>();
    const follow = ({ imports }: Source): void => {
      for (const { name, from } of imports) {
        const source = from === '@parley/contracts' ? undefined : this.byName.get(name);
        if (!source || found.has(source)) continue;
        found.add(source);
        follow(source);
      }
    };
    for (const source of sources)
      follow({ ...source, imports: source.imports.filter(({ from }) => from.startsWith('@parley/')) });
    return [...found];
  }
}

function sourcesIn(folder: string): Source[] {
  return readdirSync(path.join(repository, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts') && isShipped(file))
    .map((file) => sourceOf(readFileSync(path.join(repository, file), 'utf8')));
}

function sourceOf(text: string): Source {
  const imports = [...text.matchAll(/import (?:type )?\{([^}]*)\} from '([^']+)';/g)].flatMap(([, names = '', from = '']) =>
    names.split(',').flatMap((each) => {
      const name = each.trim().replace(/ as .*/, '');
      return name === '' || name.startsWith('type ') ? [] : [{ name, from }];
    }),
  );
  return { text, imports };
}
