import { Controller } from '@nestjs/common';
import { importBusiness } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { BusinessImport } from './business-import';

@Controller()
export class ImportsController {
  constructor(private readonly imports: BusinessImport) {}

  @Handles(importBusiness)
  run(body: z.output<typeof importBusiness.request>, call: Call) {
    return this.imports.run(organizationOf(call), body);
  }
}
