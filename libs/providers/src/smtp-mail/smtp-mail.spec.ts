import { describeMailSender } from '@parley/ports/suites';
import { MailServer } from '@parley/testing';
import { smtpMail, SmtpMail } from '.';

const server = new MailServer();
let address: string;
beforeAll(async () => {
  address = await server.listen();
});
afterAll(() => server.close());

describeMailSender('SMTP', async () => ({ sender: new SmtpMail(address, 'Team <team@example.com>'), server }));

it('is opened only if the installation names a server', () => {
  expect(smtpMail.open({ SMTP_URL: undefined, MAIL_FROM: 'Team <team@example.com>' })).toBeUndefined();
});

it('says that an unreachable server may be tried again', async () => {
  const sender = new SmtpMail('smtp://127.0.0.1:1', 'Team <team@example.com>');
  const mail = { keyId: 'a', recipient: 'seller@example.com', subject: '', text: '', html: '' };
  await expect(sender.send(mail)).rejects.toMatchObject({ name: 'ProviderFailure', retryable: true });
  sender.close();
});

it('does not give a mail up because the password is wrong, which the operator may be replacing', async () => {
  const strict = new MailServer('right');
  const url = new URL(await strict.listen());
  const mail = { keyId: 'a', recipient: 'seller@example.com', subject: 'Hello', text: 'Hello', html: '' };
  const sendAs = async (password: string) => {
    const sender = new SmtpMail(`smtp://sender:${password}@${url.host}`, 'Team <team@example.com>');
    await sender.send(mail).finally(() => sender.close());
  };
  await expect(sendAs('wrong')).rejects.toMatchObject({ name: 'ProviderFailure', retryable: true });
  await sendAs('right');
  expect(strict.taken).toHaveLength(1);
  await strict.close();
});
