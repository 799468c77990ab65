/** A file that cannot be read, with the sentence that its owner is told. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
