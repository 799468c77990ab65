import { randomUUID } from 'node:crypto';
import type { LeavingMail, MailSender } from './mail';

/** A server that a sender can be tried on. */
export interface MailServerForTests {
  /** Messages as they arrived, in the order of their arrival. */
  readonly taken: readonly string[];
  /** Of these recipients the server wants nothing, ever. */
  readonly refused: string;
  /** Of these it wants nothing at the moment. */
  readonly putOff: string;
}

/** The promises of the port, run against any sender. */
export function describeMailSender(
  name: string,
  create: () => Promise<{ sender: MailSender; server: MailServerForTests }>,
): void {
  describe(`${name} as a sender of mail`, () => {
    let sender: MailSender;
    let server: MailServerForTests;
    beforeAll(async () => {
      ({ sender, server } = await create());
    });
    afterAll(() => sender.close());

    const mailTo = (recipient: string): LeavingMail => ({
      keyId: randomUUID(),
      recipient,
      subject: 'आमंत्रण: join us',
      text: 'Come.\nनमस्ते',
      html: '<p lang="mr">या</p>',
    });

    it('has handed over the mail when it says so, as text and as a page, under its own id', async () => {
      const mail = mailTo('seller@example.com');
      await sender.send(mail);
      const message = server.taken.find((each) => each.includes(mail.keyId)) ?? '';
      expect(message).toContain('multipart/alternative');
      expect(message).toMatch(/^To: seller@example\.com\r?$/m);
    });

    it('keeps apart what is sent together', async () => {
      const mails = Array.from({ length: 12 }, (_, index) => mailTo(`seller-${index}@example.com`));
      await Promise.all(mails.map((mail) => sender.send(mail)));
      for (const { keyId, recipient } of mails) {
        const [message, ...more] = server.taken.filter((each) => each.includes(keyId));
        expect(more).toEqual([]);
        expect(message).toContain(recipient);
      }
    });

    it('lets nobody write headers by way of a recipient or a subject', async () => {
      const mail = { ...mailTo('seller@example.com'), subject: 'Hello\r\nBcc: everybody@example.com' };
      await sender.send(mail);
      expect(server.taken.find((each) => each.includes(mail.keyId))).not.toMatch(/^Bcc:/m);
    });

    it('says of a refusal for good that it is no use to try again', async () => {
      await expect(sender.send(mailTo(server.refused))).rejects.toMatchObject({ name: 'ProviderFailure', retryable: false });
    });

    it('says of a passing one that it may be tried again', async () => {
      await expect(sender.send(mailTo(server.putOff))).rejects.toMatchObject({ name: 'ProviderFailure', retryable: true });
    });
  });
}
