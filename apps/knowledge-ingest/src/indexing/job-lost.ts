/** The job was taken over by another worker, or its work is not wanted any more. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
}
