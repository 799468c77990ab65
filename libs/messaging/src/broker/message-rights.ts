import { connect } from '@nats-io/transport-node';
import { contractByName, type MessageContract, ownerOf, type ServiceName, serviceNames, type Subject } from '@parley/contracts';
import { type Caller, callers } from '../access/signed-principals';
import { cancelSubject } from '../endpoint';
import { eventSubject, heardSubject } from '../event-envelope';
import { deadLetters, durableOf, JetStreamStructure, streamOf } from '../transport/jetstream-structure';
import { inboxRoot } from '../transport/transport';
import { eventConsumers, type MessageUses } from '../uses/event-consumers';
import { type NatsCredentials, identityOptions } from '../access/nats-identity';
import { messageUses } from '../uses/message-uses';

/** Every user of the broker: the processes that exchange messages, and the one that creates streams and consumers. */
export const brokerUsers = [...callers, 'setup'] as const;
export type BrokerUser = (typeof brokerUsers)[number];

/** The subjects of a NATS user; all others are refused. */
interface MessageRights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * What the previous release asks and this one no longer does: during an update its processes still run, with the users of this one.
 * The next release forgets it.
 */
export const formerAsks: Partial<Record<Caller, readonly string[]>> = { conversation: ['transcribeRecording'] };

/** Exactly the subjects that a user needs, derived from the contracts it uses. */
export function rightsOf(user: BrokerUser, uses: MessageUses): MessageRights {
  const inbox = `${inboxRoot}.${user}.>`;
  if (user === 'setup') return { publish: ['$JS.API.STREAM.>', '$JS.API.CONSUMER.>'], subscribe: [inbox] };
  const use = uses[user];
  const requests = asksOf(user, uses).map(contractNamed);
  const consumed = use.consumes.map((name) => contractNamed(name).subject);
  const publish = [
    ...requests.map(({ subject }) => subject),
    ...ownersOf(requests).map(cancelSubject),
    ...correspondentsOf(user, uses).map((other) => `${inboxRoot}.${other}.>`),
    ...consumed.flatMap((subject) => consumerSubjects(user, subject)),
  ];
  if (user === 'host' || user === 'admin') return { publish: sorted(publish), subscribe: [inbox] };
  const heard = use.hears.map((name) => contractNamed(name).subject);
  return {
    publish: sorted([
      ...publish,
      ...tellingSubjects(user),
      ...watchedConsumers(user, uses),
      ...(consumed.length > 0 ? [`parley.dead.${user}.>`] : []),
    ]),
    subscribe: sorted([
      inbox,
      `${user}.>`,
      cancelSubject(user),
      ...heard.flatMap((subject) => [eventSubject(subject), heardSubject(subject)]),
    ]),
  };
}

function asksOf(user: Caller, uses: MessageUses): string[] {
  return [...uses[user].asks, ...(formerAsks[user] ?? [])];
}

/** The streams and consumers that must exist on the broker for the given uses. */
function eventStructure(uses: MessageUses) {
  const tellers = serviceNames.filter((service) => eventsOf(service).length > 0);
  return {
    streams: [deadLetters, ...tellers.map((service) => streamOf(`${service}.`))],
    consumers: eventConsumers(uses),
  };
}

/** The users whose requests this user answers, and those it shares streams and lines with, where both sides send. */
function correspondentsOf(user: Caller, uses: MessageUses): Caller[] {
  const isAsked = (other: Caller): boolean => asksOf(other, uses).some((name) => ownerOf(contractNamed(name)) === user);
  const lasting = asksOf(user, uses)
    .map(contractNamed)
    .filter(({ kind }) => kind !== 'request');
  const producers: Caller[] = ownersOf(lasting);
  return callers.filter((other) => isAsked(other) || producers.includes(other));
}

function tellingSubjects(service: ServiceName): string[] {
  return eventsOf(service).flatMap(({ subject }) => [eventSubject(subject), heardSubject(subject)]);
}

/** A service that publishes an event may read how far behind its consumers are. */
function watchedConsumers(teller: ServiceName, uses: MessageUses): string[] {
  const published = eventsOf(teller).map(({ subject }) => subject);
  return eventConsumers(uses).flatMap(({ group, subject }) =>
    published.includes(subject) ? [`$JS.API.CONSUMER.INFO.${streamOf(subject).name}.${durableOf(group, subject)}`] : [],
  );
}

function consumerSubjects(group: Caller, subject: Subject): string[] {
  const place = `${streamOf(subject).name}.${durableOf(group, subject)}`;
  return [`$JS.API.CONSUMER.INFO.${place}`, `$JS.API.CONSUMER.MSG.NEXT.${place}`, `$JS.ACK.${place}.>`];
}

function eventsOf(service: ServiceName): MessageContract[] {
  return [...contractByName.values()].filter((contract) => contract.kind === 'event' && ownerOf(contract) === service);
}

function ownersOf(contracts: readonly MessageContract[]): ServiceName[] {
  return [...new Set(contracts.map(ownerOf))];
}

function contractNamed(name: string): MessageContract {
  const contract = contractByName.get(name);
  if (!contract) throw new TypeError(`there is no contract ${name}`);
  return contract;
}

function sorted(subjects: readonly string[]): string[] {
  return [...new Set(subjects)].sort();
}

/** The `authorization` section of a nats-server configuration: a user for each process, by nkey, with the subjects it needs. */
export function renderNatsUsers(uses: MessageUses, nkeyOf: (user: BrokerUser) => string): string {
  const users = brokerUsers.map((user) => {
    const { publish, subscribe } = rightsOf(user, uses);
    return `    # ${user}
    {
      nkey: ${nkeyOf(user)}
      permissions: {
        publish: { allow: [${listed(publish)}] }
        subscribe: { allow: [${listed(subscribe)}] }
      }
    }`;
  });
  return `authorization {\n  timeout: 2\n  users: [\n${users.join('\n')}\n  ]\n}\n`;
}

/** The variable with the public half of a user's nkey, for a configuration file shared by all installations. */
export function nkeyVariable(user: BrokerUser): string {
  return `NATS_NKEY_${user.replaceAll('-', '_').toUpperCase()}`;
}

function listed(subjects: readonly string[]): string {
  return subjects.map((subject) => `\n          "${subject}"`).join('');
}

interface Preparation {
  readonly servers: string | string[];
  readonly credentials?: NatsCredentials;
  readonly eventReplicas?: number;
  readonly eventBytesMax?: number;
  readonly uses?: MessageUses;
}

/** Creates or updates every stream and consumer of the platform, like a migration does for a database. */
export async function prepareEvents({ servers, credentials, uses = messageUses, ...options }: Preparation): Promise<void> {
  const connection = await connect({
    ...(await identityOptions(servers, credentials)),
    name: 'setup',
    inboxPrefix: `${inboxRoot}.setup`,
    waitOnFirstConnect: true,
  });
  try {
    const { streams, consumers } = eventStructure(uses);
    const structure = new JetStreamStructure(connection, options);
    for (const stream of streams) await structure.ensureStream(stream);
    for (const { subject, group } of consumers) await structure.ensureConsumer(subject, group);
  } finally {
    await connection.close();
  }
}
