import { type DynamicModule, Module } from '@nestjs/common';
import { FileStore } from '@parley/ports';
import { openFileStore } from '@parley/providers/configured-files';
import { defineService } from '@parley/service-kit';
import { type TeamSalesConfig, TeamSalesVariables } from './config';
import { ContactsModule } from './contacts/contacts.module';
import { teamSchema } from './database/schema';
import { MailSettings } from './mail/mail-queue';
import { RepresentativesModule } from './sales/representatives.service';
import { TeamModule } from './team.module';

/** Organizations, members, invites, roles and devices; representatives, contacts and targets. */
export const teamSales = defineService({
  name: 'team-sales',
  config: TeamSalesVariables,
  database: teamSchema,
  module: (config) => TeamSalesModule.with(config),
});

/** Root of the team service. */
@Module({ imports: [ContactsModule, RepresentativesModule, TeamModule] })
class TeamSalesModule {
  static with(config: TeamSalesConfig): DynamicModule {
    const mail = { provide: MailSettings, useValue: new MailSettings(config) };
    const files = { provide: FileStore, useFactory: () => openFileStore(config) };
    return { module: TeamSalesModule, global: true, providers: [mail, files], exports: [FileStore, MailSettings] };
  }
}
