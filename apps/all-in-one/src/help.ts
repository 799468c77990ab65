export type Form = 'parley' | 'parley-cluster';

const titles: Record<Form, string> = {
  parley: 'npm start -- [options]        the whole platform in one process',
  'parley-cluster': 'npm run cluster -- [options]  every service in a process of its own, over NATS',
};

const clusterOptions = `  --replicas LIST   how often each service runs, as in speech=2,gateway=2; several gateways take consecutive ports
`;

/** Every option, what it does and what it is when left out. */
export function helpText(form: Form): string {
  return `${titles[form]}

  --port N          the public door (PORT, default 8080; 0 takes a free one)
  --host ADDRESS    the address it listens on (HOST, default 127.0.0.1)
  --home DIR        where data is kept (PARLEY_HOME, default .parley)
${form === 'parley-cluster' ? clusterOptions : ''}  -h, --help        this text

Also from the environment:
  DATABASE_URL      a Postgres of yours instead of the embedded one
${form === 'parley-cluster' ? '  NATS_URL          a NATS of yours instead of one started here\n' : ''}  PARLEY_LOG_LEVEL  debug, info, warn (default here) or error
  everything else   docs/configuration.md
`;
}
