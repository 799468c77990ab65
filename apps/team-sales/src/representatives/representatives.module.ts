import { Module } from '@nestjs/common';
import { SalesCallsController } from '../sales-calls/sales-calls.controller';
import { SalesCallsService } from '../sales-calls/sales-calls.service';
import { SalesTargetsService } from '../sales-calls/sales-targets.service';
import { RepresentativesController } from './representatives.controller';
import { RepresentativesService } from './representatives.service';

/** Sales representatives, their calls and their targets. */
@Module({
  controllers: [RepresentativesController, SalesCallsController],
  providers: [RepresentativesService, SalesCallsService, SalesTargetsService],
})
export class RepresentativesModule {}
