import type { SchemaDefinition } from '@parley/database';
import { Organization } from '../organizations/organization.entity';
import { Membership } from '../team/membership.entity';
import { User } from '../team/user.entity';
import { CreateTeam1763700000000 } from './migrations/1763700000000-create-team';

/** Everything that this service keeps. */
export const teamSchema: SchemaDefinition = {
  schema: 'team',
  entities: [Organization, User, Membership],
  migrations: [CreateTeam1763700000000],
};
