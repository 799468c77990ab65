import { Module } from '@nestjs/common';
import { OrganizationsController } from './organizations/organizations.controller';
import { OrganizationsService } from './organizations/organizations.service';
import { RolesController } from './roles/roles.controller';
import { AccessController } from './team/access.controller';

/** Root of the team service. */
@Module({
  controllers: [AccessController, OrganizationsController, RolesController],
  providers: [OrganizationsService],
})
export class TeamSalesModule {}
