import { Controller } from '@nestjs/common';
import {
  deleteContact,
  exportContacts,
  getContact,
  listContacts,
  listMappedCustomers,
  mapContacts,
  readContacts,
  saveContact,
  unmapContacts,
} from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { ContactExport } from './contact-export';
import { ContactReading, ContactsService, SaveContactService } from './contacts.service';
import { MappingService } from './mappings';

/** Contacts over the bus. */
@Controller()
export class ContactsController {
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
    return this.contacts.listMapped(body, call);
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
