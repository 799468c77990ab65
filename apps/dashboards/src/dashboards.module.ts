import { Module } from '@nestjs/common';

/** Root of the dashboards: one module a read model is imported here. */
@Module({})
export class DashboardsModule {}
