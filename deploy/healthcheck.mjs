// Docker's question to a container: exits with 0 when the service in it is ready for work.
const port = process.env.ADMIN_PORT ?? '9090';
try {
  const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(2_500) });
  process.exitCode = answer.ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
