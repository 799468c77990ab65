import { type BrokerUser, brokerUsers, type MessageUses, rightsOf } from './message-rights';

/** The `authorization` part of a nats-server's configuration: a user for each process, by nkey, with the subjects that it needs. */
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

/** The variable that holds the public half of a user's nkey, where the configuration is a file for every installation. */
export function nkeyVariable(user: BrokerUser): string {
  return `NATS_NKEY_${user.replaceAll('-', '_').toUpperCase()}`;
}

function listed(subjects: readonly string[]): string {
  return subjects.map((subject) => `\n          "${subject}"`).join('');
}
