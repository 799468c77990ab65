import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const probeTimeoutMs = 1_000;

/** The service's database as its health checks see it. */
@Injectable()
export class Database {
  constructor(private readonly dataSource: DataSource) {}

  /** Whether Postgres answers within a second. Never throws. */
  async isReady(): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), probeTimeoutMs);
    const answer = this.dataSource.query('SELECT 1').then(
      () => true,
      () => false,
    );
    return await Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
  }
}
