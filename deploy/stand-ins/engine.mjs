// The container engine of this machine: CONTAINER_ENGINE, or podman or docker on PATH.
import { execFile, spawn, spawnSync } from 'node:child_process';

/** Its name, or undefined where there is none that answers. */
export function findEngine() {
  const given = process.env.CONTAINER_ENGINE;
  return (given ? [given] : ['podman', 'docker']).find(
    (name) => spawnSync(name, ['version'], { stdio: 'ignore', timeout: 30_000 }).status === 0,
  );
}

/** Runs the engine to its end; answers what it wrote, and throws what it complains of. */
export function engine(name, words, { input, timeoutMs = 120_000 } = {}) {
  return new Promise((resolve, reject) => {
    const child = execFile(name, words, { maxBuffer: 64 * 1024 * 1024, timeout: timeoutMs }, (error, out, err) => {
      if (error)
        reject(
          Object.assign(new Error(`${name} ${words[0]}: ${(err || error.message).trim().slice(-1_000)}`), {
            code: error.code,
            out,
            err,
          }),
        );
      else resolve(out.trim());
    });
    child.stdin.end(input);
  });
}

/** The same, shown while it works. */
export function engineShown(name, words) {
  return new Promise((resolve, reject) => {
    const child = spawn(name, words, { stdio: ['ignore', 2, 2] });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${name} ${words.join(' ')} ended with ${code}`))));
  });
}
