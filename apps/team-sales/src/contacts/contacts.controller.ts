import { Controller, Injectable, Module } from '@nestjs/common';
import {
  type BodyOf,
  deleteContact,
  exportContacts,
  getContact,
  listContacts,
  listMappedCustomers,
  mapContacts,
  readContacts,
  type ReplyOf,
  saveContact,
  unmapContacts,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import { FileSweep } from '@parley/providers/configured-files';
import { csvRow, Logger, RegularTasks } from '@parley/service-kit';
import { type Contact, contactQuery, csvColumns } from './contact.entity';
import { ContactReading, ContactsService, SaveContactService } from './contacts.service';
import { Mappings, MappingService } from './mappings';
import { ContactUploadController, ContactUploadService } from './upload/contact-upload.service';
import { MappedFile } from './upload/mapped-file';

/** With the longest cells that the contract allows, a part still fits into one message. */
const batch = 150;

/** Contacts as a CSV file, written as fast as the reader reads. */
@Injectable()
class ContactExport {
  constructor(private readonly tenants: TenantScope) {}

  /** Each part is read in a transaction of its own, so that a slow reader does not hold one open. */
  async *export(body: BodyOf<typeof exportContacts>, call: Call): AsyncGenerator<{ csv: string }> {
    const orgId = organizationOf(call);
    // The header goes with the first rows: until they are read, a refusal can still be a proper answer.
    let header = csvRow(csvColumns.map(({ column }) => column));
    for (let last = 0, contacts: Contact[]; ; last = contacts.at(-1)?.id ?? last) {
      contacts = await this.after(last, orgId, body);
      yield { csv: header + contacts.map((contact) => csvRow(csvColumns.map(({ field }) => contact[field]))).join('') };
      if (contacts.length < batch) return;
      header = '';
    }
  }

  private after(last: number, orgId: number, body: BodyOf<typeof exportContacts>): Promise<Contact[]> {
    return this.tenants.read(orgId, async (manager) => {
      const query = await contactQuery(manager, orgId, body);
      return query.andWhere('c.id > :last', { last }).orderBy('c.id').limit(batch).getMany();
    });
  }
}

/** Contacts over the bus. */
@Controller()
class ContactsController {
  constructor(
    private readonly contacts: ContactsService,
    private readonly saving: SaveContactService,
    private readonly mapping: MappingService,
    private readonly exporting: ContactExport,
    private readonly reading: ContactReading,
  ) {}

  @Handles(saveContact)
  save(body: BodyOf<typeof saveContact>, call: Call): Promise<ReplyOf<typeof saveContact>> {
    return this.saving.save(body, call);
  }

  @Handles(listContacts)
  list(body: BodyOf<typeof listContacts>, call: Call): Promise<ReplyOf<typeof listContacts>> {
    return this.contacts.list(body, call);
  }

  @Handles(listMappedCustomers)
  listMapped(body: BodyOf<typeof listMappedCustomers>, call: Call): Promise<ReplyOf<typeof listMappedCustomers>> {
    return this.contacts.list(body, call);
  }

  @Handles(getContact)
  get(body: BodyOf<typeof getContact>, call: Call): Promise<ReplyOf<typeof getContact>> {
    return this.contacts.get(body, call);
  }

  @Handles(deleteContact)
  delete(body: BodyOf<typeof deleteContact>, call: Call): Promise<ReplyOf<typeof deleteContact>> {
    return this.contacts.delete(body, call);
  }

  @Handles(mapContacts)
  map(body: BodyOf<typeof mapContacts>, call: Call): Promise<ReplyOf<typeof mapContacts>> {
    return this.mapping.map(body, call);
  }

  @Handles(unmapContacts)
  unmap(body: BodyOf<typeof unmapContacts>, call: Call): Promise<ReplyOf<typeof unmapContacts>> {
    return this.mapping.unmap(body, call);
  }

  @Handles(exportContacts)
  export(body: BodyOf<typeof exportContacts>, call: Call): AsyncIterable<{ csv: string }> {
    return this.exporting.export(body, call);
  }

  @Handles(readContacts)
  read(body: BodyOf<typeof readContacts>, call: Call): ReturnType<ContactReading['read']> {
    return this.reading.read(body, call);
  }
}

/** A file is read within the request that uploaded it, so leftovers need not be kept for a day. */
const fileSweep = {
  provide: FileSweep,
  inject: [FileStore, Logger, RegularTasks],
  useFactory: (files: FileStore, log: Logger, tasks: RegularTasks) =>
    new FileSweep({ files, folder: 'contacts', log, tasks, kept: async () => new Set() }),
};

/** Customers, and who serves them. */
@Module({
  controllers: [ContactsController, ContactUploadController],
  providers: [
    ContactExport,
    ContactReading,
    ContactsService,
    ContactUploadService,
    fileSweep,
    MappedFile,
    Mappings,
    MappingService,
    SaveContactService,
  ],
})
export class ContactsModule {}
