import type { SchemaDefinition } from '@parley/database';
import { Mail } from '../mail/mail.entity';
import { Organization } from '../organizations/organization.entity';
import { Representative } from '../representatives/representative.entity';
import { Membership } from '../team/membership.entity';
import { User } from '../team/user.entity';
import { CreateTeam1763700000000 } from './migrations/1763700000000-create-team';
import { CreateMails1763700000001 } from './migrations/1763700000001-create-mails';
import { CreateRepresentatives1763700000002 } from './migrations/1763700000002-create-representatives';

/** Everything that this service keeps. */
export const teamSchema: SchemaDefinition = {
  schema: 'team',
  entities: [Organization, User, Membership, Mail, Representative],
  migrations: [CreateTeam1763700000000, CreateMails1763700000001, CreateRepresentatives1763700000002],
};
