/**
 * The outcome of some work, or what `late` returns or throws once it takes too long. The timer ends with the race; the work
 * itself continues, and its later failure is ignored.
 */
export async function within<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  const passed = Promise.withResolvers<void>();
  const timer = setTimeout(passed.resolve, ms);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, passed.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
