/** How a Postgres is tuned: `durable` for a laptop's real data, `throwaway` for tests. */
export type Durability = 'durable' | 'throwaway';

const small = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '32MB',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  max_wal_size: '256MB',
  min_wal_size: '32MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // Two cores and one disk: worker processes for reading, parallel plans and compiled plans cost more than they bring.
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  jit: 'off',
  autovacuum_max_workers: '2',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Above errors, so that no statement and no value of a customer reaches the log.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
};

// Commits still wait for the system to take them, so that only a crash of the machine loses any, not one of the server.
const throwaway = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', shared_buffers: '64MB' };

/** The command line of a server that is small in memory and reachable from this machine only. */
export function serverArguments(dataDirectory: string, port: number, durability: Durability): string[] {
  const settings = { ...small, ...(durability === 'throwaway' ? throwaway : {}), port: String(port) };
  return ['-D', dataDirectory, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
