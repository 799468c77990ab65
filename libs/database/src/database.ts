import { Injectable } from '@nestjs/common';
import { within } from '@parley/contracts';
import { DataSource } from 'typeorm';

const probeTimeoutMs = 1_000;

/** The service's database as its health checks see it. */
@Injectable()
export class Database {
  constructor(private readonly dataSource: DataSource) {}

  /** Whether Postgres answers within a second. Never throws. */
  async isReady(): Promise<boolean> {
    const answer = this.dataSource.query('SELECT 1').then(
      () => true,
      () => false,
    );
    return within(probeTimeoutMs, answer, () => false);
  }
}
