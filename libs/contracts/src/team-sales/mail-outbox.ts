import { z } from 'zod';
import { defineRequest } from '../messages';
import { createdOnExample, described, listOf, paging, SearchText, secret, Timestamp, Uuid } from '../vocabulary';

const OutgoingMail = described(
  'OutgoingMail',
  'An e-mail of the platform. Without SMTP it stays here, to be read and passed on by hand.',
  z.object({
    MailKeyID: Uuid,
    MailID: z.int(),
    to: z.string(),
    subject: z.string(),
    // An invitation says its token here.
    text: secret(z.string()),
    status: z.enum(['QUEUED', 'SENT', 'FAILED', 'HELD']),
    attempts: z.int(),
    lastError: z.string().nullable(),
    CreatedOn: Timestamp,
    sentOn: Timestamp.nullable(),
  }),
  {
    MailKeyID: 'd6d4f9f5-3e4f-4f51-a062-718293a4b5c6',
    MailID: 3,
    to: 'asha@example.com',
    subject: 'You are invited',
    text: 'Hello',
    status: 'HELD',
    attempts: 0,
    lastError: null,
    CreatedOn: createdOnExample,
    sentOn: null,
  },
);

export const listMailOutbox = defineRequest({
  subject: 'team-sales.mail.list',
  request: described(
    'MailOutboxQuery',
    'Which e-mails.',
    z.object({ searchName: SearchText, ...paging(['CreatedOn', 'to', 'status']) }),
    { searchName: '', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('MailOutboxPage', OutgoingMail),
});
