import type { SchemaDefinition } from '@parley/database';
import { ContactMapping, Representative } from '../team/representatives';
import { Contact } from '../contacts/contact.entity';
import { Upload } from '../contacts/upload/upload.entity';
import { Mail } from '../mail/mail-queue';
import { Membership, Organization, User } from '../team/membership.entity';
import { SalesCall, SalesTarget } from '../sales/sales-calls.service';
import { CreateTeam1763700000000 } from './migrations/1763700000000-create-team';
import { CreateMails1763700000001 } from './migrations/1763700000001-create-mails';
import { CreateRepresentatives1763700000002 } from './migrations/1763700000002-create-representatives';
import { CreateContacts1763700000003 } from './migrations/1763700000003-create-contacts';
import { CreateSalesCalls1763700000004 } from './migrations/1763700000004-create-sales-calls';
import { TellUploadedFilesApart1763700000005 } from './migrations/1763700000005-tell-uploaded-files-apart';

/** Everything that this service keeps. */
export const teamSchema: SchemaDefinition = {
  schema: 'team',
  entities: [Organization, User, Membership, Mail, Representative, Contact, ContactMapping, Upload, SalesCall, SalesTarget],
  migrations: [
    CreateTeam1763700000000,
    CreateMails1763700000001,
    CreateRepresentatives1763700000002,
    CreateContacts1763700000003,
    CreateSalesCalls1763700000004,
    TellUploadedFilesApart1763700000005,
  ],
};
