import { z } from 'zod';
import { defineRequest, defineStream } from '../messages';
import {
  blankOr, createdOnExample, CsvPart, described, Email, filledText, fromAfterTo, fromBeforeTo, listOf, OptionalDateBound, paging,
  PhoneNumberInput,
  RecordId, SearchText, text, Timestamp, updatedOnExample, Uuid,
} from '../vocabulary';
import { representativeKeyExample } from './representatives';

export const contactKeyExample = '7a9b1c3d-5e7f-4a1b-8c3d-5e7f9a1b3c5d';
const contactColumns = ['CreatedOn', 'UpdatedOn', 'CustomerName', 'ContactNumber', 'Email', 'City', 'State', 'Country'] as const;

/** A customer, with the representatives that it is mapped to. */
export const Contact = described(
  'Contact',
  'A customer contact. `ContactNumber` is E.164.',
  z.object({
    ContactKeyID: Uuid,
    ContactID: z.int(),
    CustomerName: z.string(),
    ContactNumber: z.string(),
    Email: z.string(),
    City: z.string(),
    State: z.string(),
    Country: z.string(),
    SalesUsers: z.array(z.object({ SalesUserKeyID: Uuid, SalesUserID: z.int(), name: z.string() })),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    ContactKeyID: contactKeyExample, ContactID: 77, CustomerName: 'Ravi Kulkarni', ContactNumber: '+919820012345',
    Email: 'ravi@example.com', City: 'Pune', State: 'Maharashtra', Country: 'India',
    SalesUsers: [{ SalesUserKeyID: representativeKeyExample, SalesUserID: 5, name: 'Asha Patil' }],
    CreatedOn: createdOnExample, UpdatedOn: updatedOnExample,
  },
);

const place = text(100).default('');

export const saveContact = defineRequest({
  subject: 'team-sales.contact.save',
  request: described(
    'SaveContactRequest',
    'A new contact (`ContactKeyID` null), or the new state of one.',
    z.object({
      ContactKeyID: Uuid.nullish(),
      CustomerName: filledText(200),
      ContactNumber: PhoneNumberInput,
      Email: blankOr(Email, 'an e-mail address').default(''),
      City: place,
      State: place,
      Country: place,
      SalesUserID: RecordId.nullish(),
    }),
    {
      ContactKeyID: null, CustomerName: 'Ravi Kulkarni', ContactNumber: '098200 12345', Email: 'ravi@example.com', City: 'Pune',
      State: 'Maharashtra', Country: 'India', SalesUserID: 5,
    },
  ),
  reply: Contact,
});

const contactFilters = {
  searchName: SearchText,
  SalesUserKeyID: Uuid.nullish(),
  fromDate: OptionalDateBound,
  toDate: OptionalDateBound,
};

export const listContacts = defineRequest({
  subject: 'team-sales.contact.list',
  request: described(
    'ContactListQuery',
    'Which contacts.',
    z.object({ ...contactFilters, ...paging(contactColumns) }).refine(fromBeforeTo, fromAfterTo),
    { searchName: 'kulkarni', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('ContactPage', Contact),
});

/** The specification's list of one representative's customers. */
export const listMappedCustomers = defineRequest({
  subject: 'team-sales.contact.list-mapped',
  request: described(
    'MappedCustomerListQuery',
    'The customers of one representative.',
    z.object({ ...contactFilters, SalesUserKeyID: Uuid, ...paging(contactColumns) }).refine(fromBeforeTo, fromAfterTo),
    { SalesUserKeyID: representativeKeyExample, searchName: '', fromDate: null, toDate: null, pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('MappedCustomerPage', Contact),
});

const ContactChoice = described(
  'ContactChoice', 'One contact.', z.object({ ContactKeyID: Uuid }), { ContactKeyID: contactKeyExample },
);

export const getContact = defineRequest({ subject: 'team-sales.contact.get', request: ContactChoice, reply: Contact });

export const deleteContact = defineRequest({
  subject: 'team-sales.contact.delete',
  request: ContactChoice,
  reply: described(
    'DeletedContact',
    'What was deleted.',
    z.object({ ContactKeyID: Uuid, ContactID: z.int() }),
    { ContactKeyID: contactKeyExample, ContactID: 77 },
  ),
});

export const exportContacts = defineStream({
  subject: 'team-sales.contact.export',
  request: described(
    'ContactExportRequest',
    'Which contacts to export.',
    z.object(contactFilters).refine(fromBeforeTo, fromAfterTo),
    { searchName: '', SalesUserKeyID: representativeKeyExample },
  ),
  item: CsvPart,
});
