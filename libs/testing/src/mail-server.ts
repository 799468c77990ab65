import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

const refusals = [
  { to: 'nobody', words: 'no such mailbox', responseCode: 550 },
  { to: 'later', words: 'mailbox busy', responseCode: 450 },
];

/** A mail server that accepts everything, except mail to recipients it refuses, and senders without the password if it has one. */
export class MailServer {
  readonly taken: string[] = [];
  readonly refused = 'nobody@example.com';
  readonly putOff = 'later@example.com';
  private readonly arrivals: (() => void)[] = [];
  private readonly server: SMTPServer;

  constructor(required?: string) {
    this.server = new SMTPServer({
      authOptional: required === undefined,
      allowInsecureAuth: true,
      disabledCommands: required === undefined ? ['STARTTLS', 'AUTH'] : ['STARTTLS'],
      onAuth: ({ password }, _session, done) =>
        password === required
          ? done(null, { user: 'sender' })
          : done(Object.assign(new Error('wrong password'), { responseCode: 535 })),
      onRcptTo: ({ address }, _session, done) => {
        const refusal = refusals.find(({ to }) => address.startsWith(to));
        done(refusal ? Object.assign(new Error(refusal.words), { responseCode: refusal.responseCode }) : null);
      },
      onData: (stream, _session, done) => {
        void text(stream).then((message) => {
          this.taken.push(message);
          for (const arrived of this.arrivals.splice(0)) arrived();
          done();
        });
      },
    });
  }

  async listen(): Promise<string> {
    const listening = this.server.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const { port } = listening.address() as AddressInfo;
    return `smtp://127.0.0.1:${port}`;
  }

  async has(count: number): Promise<void> {
    while (this.taken.length < count) await new Promise<void>((resolve) => this.arrivals.push(resolve));
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(resolve));
  }
}
