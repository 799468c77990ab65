import { Module } from '@nestjs/common';

/** Root of the team service: one module a noun is imported here. */
@Module({})
export class TeamSalesModule {}
