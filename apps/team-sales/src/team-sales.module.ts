import { type DynamicModule, Module } from '@nestjs/common';
import { FileStore } from '@parley/ports';
import { openFileStore } from '@parley/providers/configured-files';
import type { TeamSalesConfig } from './config';
import { ContactsModule } from './contacts/contacts.module';
import { MailSettings } from './mail/mail-queue';
import { RepresentativesModule } from './representatives/representatives.module';
import { TeamModule } from './team/team.module';

/** Root of the team service. */
@Module({ imports: [ContactsModule, RepresentativesModule, TeamModule] })
export class TeamSalesModule {
  static with(config: TeamSalesConfig): DynamicModule {
    const mail = { provide: MailSettings, useValue: new MailSettings(config) };
    const files = { provide: FileStore, useFactory: () => openFileStore(config) };
    return { module: TeamSalesModule, global: true, providers: [mail, files], exports: [FileStore, MailSettings] };
  }
}
