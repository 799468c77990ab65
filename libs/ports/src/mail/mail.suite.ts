import { randomUUID } from 'node:crypto';
import type { LeavingMail, MailSender } from './mail';

/** A server to test a sender with. */
export interface MailServerForTests {
  /** Messages in order of arrival. */
  readonly taken: readonly string[];
  /** Recipients that the server refuses permanently. */
  readonly refused: string;
  /** Recipients that it refuses temporarily. */
  readonly putOff: string;
}

/** The guarantees of the port, tested for any sender. */
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

    it('resolves once the mail was accepted, as text and HTML, under its own id', async () => {
      const mail = mailTo('seller@example.com');
      await sender.send(mail);
      const message = server.taken.find((each) => each.includes(mail.keyId)) ?? '';
      expect(message).toContain('multipart/alternative');
      expect(message).toMatch(/^To: seller@example\.com\r?$/m);
    });

    it('keeps mails apart that are sent together', async () => {
      const mails = Array.from({ length: 12 }, (_, index) => mailTo(`seller-${index}@example.com`));
      await Promise.all(mails.map((mail) => sender.send(mail)));
      for (const { keyId, recipient } of mails) {
        const [message, ...more] = server.taken.filter((each) => each.includes(keyId));
        expect(more).toEqual([]);
        expect(message).toContain(recipient);
      }
    });

    it('lets neither recipient nor subject inject headers', async () => {
      const mail = { ...mailTo('seller@example.com'), subject: 'Hello\r\nBcc: everybody@example.com' };
      await sender.send(mail);
      expect(server.taken.find((each) => each.includes(mail.keyId))).not.toMatch(/^Bcc:/m);
    });

    it('reports a permanent refusal as not retryable', async () => {
      await expect(sender.send(mailTo(server.refused))).rejects.toMatchObject({ name: 'ProviderFailure', retryable: false });
    });

    it('reports a temporary refusal as retryable', async () => {
      await expect(sender.send(mailTo(server.putOff))).rejects.toMatchObject({ name: 'ProviderFailure', retryable: true });
    });
  });
}
