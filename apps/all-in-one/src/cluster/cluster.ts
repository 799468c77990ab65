import { writeFileSync } from 'node:fs';
import { TransportBus } from '@parley/messaging';
import { OptionProblem } from '../options';
import type { Ground, Platform } from '../platform';
import { connectHost, environmentOf, openBroker } from './broker';
import { becomesReady, planMembers, type Member } from './member';
import { SupervisedProcess } from './supervised-process';

/** Every service in a process of its own, restarted when it dies, over NATS. */
export async function startCluster(ground: Ground): Promise<Platform> {
  const nats = await openBroker(ground, process.stderr);
  const members = await planMembers(ground, (service) => environmentOf(service, nats));
  const refusal = new AbortController();
  const processes = new Map(members.map((member) => [member, supervise(member, refusal)]));
  const roster = (): void => writeRoster(ground, processes, nats.server);
  nats.onRestart(roster);
  for (const supervised of processes.values()) supervised.start(roster);
  const transport = await connectHost(nats);
  const stop = async (): Promise<void> => {
    await transport.close();
    // The doors first: what is in flight still finds the services behind them.
    await stopAll(processes, ({ doorPort }) => doorPort !== undefined);
    await stopAll(processes, ({ doorPort }) => doorPort === undefined);
    await nats.server?.stop();
  };
  try {
    await Promise.all(members.map((member) => becomesReady(member, refusal.signal)));
    return { baseUrls: baseUrlsOf(members, ground), bus: new TransportBus(transport), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function supervise({ plan }: Member, refusal: AbortController): SupervisedProcess {
  const onRefusal = (name: string): void =>
    refusal.abort(new OptionProblem(`${name} refuses its configuration; its own words stand above.`));
  return new SupervisedProcess(plan, process.stderr, onRefusal);
}

async function stopAll(processes: Map<Member, SupervisedProcess>, which: (member: Member) => boolean): Promise<void> {
  await Promise.all([...processes].filter(([member]) => which(member)).map(([, supervised]) => supervised.stop()));
}

function baseUrlsOf(members: Member[], { options }: Ground): [string, ...string[]] {
  const [first, ...rest] = members.flatMap(({ doorPort }) =>
    doorPort === undefined ? [] : [`http://${options.host}:${doorPort}`],
  );
  if (first === undefined) throw new OptionProblem('a cluster needs a gateway');
  return [first, ...rest];
}

/** Who runs where, for operators and for tests that end processes on purpose. */
function writeRoster({ home }: Ground, processes: Map<Member, SupervisedProcess>, nats: SupervisedProcess | undefined): void {
  const services = [...processes].map(([{ name, adminPort, doorPort }, { pid }]) => ({ name, pid, adminPort, doorPort }));
  const rows = nats ? [{ name: 'nats', pid: nats.pid }, ...services] : services;
  writeFileSync(home.path('cluster.json'), `${JSON.stringify(rows, null, 2)}\n`);
}
