import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import { described, RecordId, Uuid } from '../vocabulary';
import { representativeKeyExample } from './representatives';

const contactsPerMappingMax = 10_000;

const MappingRequest = described(
  'ContactMappingRequest',
  'Contacts and the representative that they belong to.',
  z.object({ SalesUserKeyID: Uuid, ContactID: z.array(RecordId).min(1).max(contactsPerMappingMax) }),
  { SalesUserKeyID: representativeKeyExample, ContactID: [77, 78] },
);

const MappingResult = described(
  'ContactMappingResult',
  'What became of each contact. An id of another organization is UNKNOWN like one that never was.',
  z.object({
    SalesUserKeyID: Uuid,
    SalesUserID: z.int(),
    changedCount: z.int().min(0),
    results: z.array(z.object({ ContactID: z.int(), outcome: z.enum(['MAPPED', 'UNMAPPED', 'UNCHANGED', 'UNKNOWN']) })),
  }),
  {
    SalesUserKeyID: representativeKeyExample, SalesUserID: 5, changedCount: 1,
    results: [{ ContactID: 77, outcome: 'MAPPED' }, { ContactID: 78, outcome: 'UNKNOWN' }],
  },
);

export const mapContacts = defineRequest({ subject: 'team-sales.contact.map', request: MappingRequest, reply: MappingResult });

export const unmapContacts = defineRequest({
  subject: 'team-sales.contact.unmap', request: MappingRequest, reply: MappingResult,
});

export const contactsAssigned = defineEvent({
  subject: 'team-sales.contact.assigned',
  payload: described(
    'ContactsAssigned',
    'A representative got contacts, or lost them (negative count).',
    z.object({ SalesUserID: z.int(), SalesUserKeyID: Uuid, count: z.int(), source: z.enum(['FORM', 'MAPPING', 'UPLOAD']) }),
    { SalesUserID: 5, SalesUserKeyID: representativeKeyExample, count: 120, source: 'UPLOAD' },
  ),
});
