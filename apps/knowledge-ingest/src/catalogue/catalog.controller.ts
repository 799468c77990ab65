import { Controller } from '@nestjs/common';
import { deleteCatalogItem, getCatalogItem, listCatalog, saveCatalog } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { CatalogService } from './catalog.service';

@Controller()
export class CatalogController {
  constructor(private readonly catalog: CatalogService) {}

  @Handles(saveCatalog)
  save(body: z.output<typeof saveCatalog.request>, call: Call) {
    return this.catalog.save(organizationOf(call), body);
  }

  @Handles(listCatalog)
  list(query: z.output<typeof listCatalog.request>, call: Call) {
    return this.catalog.list(organizationOf(call), query);
  }

  @Handles(getCatalogItem)
  get({ CatalogItemKeyID }: { CatalogItemKeyID: string }, call: Call) {
    return this.catalog.get(organizationOf(call), CatalogItemKeyID);
  }

  @Handles(deleteCatalogItem)
  delete({ CatalogItemKeyID }: { CatalogItemKeyID: string }, call: Call) {
    return this.catalog.delete(organizationOf(call), CatalogItemKeyID);
  }
}
