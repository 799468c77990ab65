/**
 * The outcome of some work, or what `late` answers or throws once it has taken too long. The timer ends with the race; the work
 * itself goes on, and what becomes of it later is nobody's failure.
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
